package io.ostraka.console.live;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Identity of an event.
 *
 * @param epoch identity of the feed, which differs after each restart of the console
 * @param number number of the event in the feed; increasing, with gaps
 */
record EventId(String epoch, long number) {
    private static final Pattern FORM = Pattern.compile("([0-9a-f]{1,16})-(\\d{1,18})");

    /** Reads the id that a client has sent; empty if there is none, or if no feed has created it. */
    static Optional<EventId> read(@Nullable String text) {
        Matcher matcher = FORM.matcher(text == null ? "" : text);
        return matcher.matches()
                ? Optional.of(new EventId(matcher.group(1), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return epoch + "-" + number;
    }
}
