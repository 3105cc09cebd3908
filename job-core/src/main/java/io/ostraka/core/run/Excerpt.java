package io.ostraka.core.run;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A part of what came from outside, as text to be shown: decoded as UTF-8, whatever it is, and without the secrets that were
 * given out, in case they came back, and without control characters. To tell a secret that lies across the cut, more is kept than is shown.
 */
public final class Excerpt {
    /** How much is shown, in bytes. */
    public static final int SHOWN = 4096;

    private static final String REMOVED = "[secret]";
    /** All but the ends of lines and tabs: colours of a terminal among them. */
    private static final Pattern CONTROL = Pattern.compile("\\e\\[[0-9;]*[A-Za-z]|[\\p{Cntrl}&&[^\\n\\t]]");

    private final List<String> secrets;
    private final int margin;

    /** Knows the secrets that were given out. */
    public Excerpt(Collection<String> secrets) {
        this.secrets = secrets.stream().filter(secret -> !secret.isEmpty()).toList();
        this.margin = this.secrets.stream()
                .mapToInt(secret -> secret.getBytes(StandardCharsets.UTF_8).length)
                .max()
                .orElse(0);
    }

    /** Returns how many bytes are to be kept. */
    public int kept() {
        return SHOWN + margin;
    }

    /**
     * Returns the beginning of a text.
     *
     * @param bytes its first {@link #kept()}, or all if it has fewer
     */
    public String beginning(byte[] bytes) {
        String text = cleaned(bytes);
        int to = bytes.length < kept() ? text.length() : text.length() - margin;
        return text.substring(0, Math.min(Math.max(to, 0), SHOWN));
    }

    /**
     * Returns the end of a text.
     *
     * @param bytes its last {@link #kept()}, or all if it has fewer
     */
    public String end(byte[] bytes) {
        String text = cleaned(bytes);
        int from = bytes.length < kept() ? 0 : margin;
        return text.substring(Math.min(Math.max(from, text.length() - SHOWN), text.length()));
    }

    private String cleaned(byte[] bytes) {
        // again without control characters: what they hid may be a secret
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
