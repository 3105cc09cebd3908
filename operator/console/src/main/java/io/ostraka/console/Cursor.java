package io.ostraka.console;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The key of the last element of a page, as an opaque text. The next page starts after this key. */
final class Cursor {
    private Cursor() {}

    static String of(String key) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(key.getBytes(StandardCharsets.UTF_8));
    }

    static String key(String cursor) {
        try {
            return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Parameters.invalid("after", cursor, "the 'next' of an earlier page");
        }
    }
}
