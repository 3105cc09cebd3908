package io.ostraka.types;

import io.ostraka.http.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;

/**
 * Makes a printable excerpt of external text, such as the output of a program. Decodes the text as UTF-8, and removes
 * hidden characters and the secrets that were passed to the program or server. The caller keeps more bytes than the
 * excerpt shows, because a secret may extend beyond the part that is shown.
 */
final class Excerpt {
    /** Maximum length of the excerpt, in characters. */
    static final int SHOWN = 4096;

    private static final String REMOVED = "[secret]";

    private final List<String> secrets;
    private final int margin;

    /** @param secrets texts that the excerpt must not contain */
    Excerpt(Collection<String> secrets) {
        this.secrets = secrets.stream().filter(secret -> !secret.isEmpty()).toList();
        this.margin = this.secrets.stream()
                .mapToInt(secret -> secret.getBytes(StandardCharsets.UTF_8).length)
                .max()
                .orElse(0);
    }

    /** Returns the number of bytes that the caller must keep. */
    int kept() {
        return SHOWN + margin;
    }

    /**
     * Returns an excerpt from the beginning of a text.
     *
     * @param bytes the first {@link #kept()} bytes, or the whole text if it is shorter
     */
    String beginning(byte[] bytes) {
        String text = cleaned(bytes);
        int to = bytes.length < kept() ? text.length() : text.length() - margin;
        return text.substring(0, Math.min(Math.max(to, 0), SHOWN));
    }

    /**
     * Returns an excerpt from the end of a text.
     *
     * @param bytes the last {@link #kept()} bytes, or the whole text if it is shorter
     */
    String end(byte[] bytes) {
        String text = cleaned(bytes);
        int from = bytes.length < kept() ? 0 : margin;
        return text.substring(Math.min(Math.max(from, text.length() - SHOWN), text.length()));
    }

    private String cleaned(byte[] bytes) {
        // removes secrets twice, because hidden characters may have split a secret
        return removed(Printable.lines(removed(new String(bytes, StandardCharsets.UTF_8))));
    }

    private String removed(String text) {
        String left = text;
        for (String secret : secrets) {
            left = left.replace(secret, REMOVED);
        }
        return left;
    }
}
