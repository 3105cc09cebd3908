package io.ostraka.core.run;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Printable part of text that came from outside: decoded as UTF-8, without control characters, and without the secrets that
 * the program or server received, in case the text repeats them. It keeps more than it shows, because a secret may lie
 * across the cut.
 */
public final class Excerpt {
    /** Number of bytes shown. */
    public static final int SHOWN = 4096;

    private static final String REMOVED = "[secret]";
    /** Control characters except line ends and tabs; includes the colour codes of terminals. */
    private static final Pattern CONTROL = Pattern.compile("\\e\\[[0-9;]*[A-Za-z]|[\\p{Cntrl}&&[^\\n\\t]]");

    private final List<String> secrets;
    private final int margin;

    /** Creates an excerpt that removes these secrets. */
    public Excerpt(Collection<String> secrets) {
        this.secrets = secrets.stream().filter(secret -> !secret.isEmpty()).toList();
        this.margin = this.secrets.stream()
                .mapToInt(secret -> secret.getBytes(StandardCharsets.UTF_8).length)
                .max()
                .orElse(0);
    }

    /** Returns the number of bytes to keep. */
    public int kept() {
        return SHOWN + margin;
    }

    /**
     * Returns the beginning of a text.
     *
     * @param bytes first {@link #kept()} bytes, or all bytes of a shorter text
     */
    public String beginning(byte[] bytes) {
        String text = cleaned(bytes);
        int to = bytes.length < kept() ? text.length() : text.length() - margin;
        return text.substring(0, Math.min(Math.max(to, 0), SHOWN));
    }

    /**
     * Returns the end of a text.
     *
     * @param bytes last {@link #kept()} bytes, or all bytes of a shorter text
     */
    public String end(byte[] bytes) {
        String text = cleaned(bytes);
        int from = bytes.length < kept() ? 0 : margin;
        return text.substring(Math.min(Math.max(from, text.length() - SHOWN), text.length()));
    }

    private String cleaned(byte[] bytes) {
        // a second time, because control characters may have split a secret
        String plain = CONTROL.matcher(removed(new String(bytes, StandardCharsets.UTF_8)))
                .replaceAll("");
        return removed(plain);
    }

    private String removed(String text) {
        String left = text;
        for (String secret : secrets) {
            left = left.replace(secret, REMOVED);
        }
        return left;
    }
}
