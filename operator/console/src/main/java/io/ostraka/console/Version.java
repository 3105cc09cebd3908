package io.ostraka.console;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The version of a node as an entity tag. */
final class Version {
    private Version() {}

    /** Returns the entity tag of a version. */
    static String tag(long version) {
        return "\"" + version + "\"";
    }

    /**
     * Returns the version that the caller expects.
     *
     * @return null if the request has no {@code If-Match}, or accepts every version
     */
    static @Nullable Long expected(Request request) {
        if (!request.headers().containsKey("if-match")) {
            return null;
        }
        Optional<String> header = request.header("if-match").map(String::strip);
        if (header.filter("*"::equals).isPresent()) {
            return null;
        }
        String tag = header.orElse("");
        if (tag.matches("\".+\"")) {
            try {
                return WholeNumber.read(tag.substring(1, tag.length() - 1), 0, Long.MAX_VALUE);
            } catch (IllegalArgumentException e) { // the problem below names the accepted form
            }
        }
        throw new Problem(
                        Problem.Code.BAD_REQUEST,
                        "If-Match is not accepted; accepted: one version in double quotes, such as \"4294967301\"")
                .with("field", "If-Match");
    }
}
