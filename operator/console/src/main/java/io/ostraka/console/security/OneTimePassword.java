package io.ostraka.console.security;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A random password of the user {@value #USER} for the first login, if the settings name no other caller. It is valid
 * for one login. Only its hash stays in memory. Thread-safe.
 */
final class OneTimePassword {
    static final String USER = "admin";

    /** Letters and digits that people do not confuse with each other. */
    private static final String ALPHABET = "abcdefghjkmnpqrstuvwxyz123456789";

    private static final int GROUPS = 5;
    private static final int GROUP = 5;

    private final AtomicReference<@Nullable PasswordHash> hash;

    OneTimePassword(PasswordHash hash) {
        this.hash = new AtomicReference<>(hash);
    }

    /** Returns a random text of 125 bits, such as {@code 7pb3k-...}. */
    static String text() {
        StringBuilder text = new StringBuilder();
        byte[] random = Secrets.bytes(GROUPS * GROUP);
        for (int i = 0; i < random.length; i++) {
            if (i > 0 && i % GROUP == 0) {
                text.append('-');
            }
            text.append(ALPHABET.charAt(random[i] & 31));
        }
        return text.toString();
    }

    /** Returns the hash; null after the login. */
    @Nullable PasswordHash hash() {
        return hash.get();
    }

    /** Uses up the password after it was verified. Returns false if another login has used it first. */
    boolean use(PasswordHash verified) {
        return hash.compareAndSet(verified, null);
    }
}
