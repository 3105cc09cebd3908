package io.ostraka.console.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** Hashes passwords by PBKDF2 with HMAC-SHA-256, and verifies them. Thread-safe. */
public final class Passwords {
    /** Iterations of new hashes. */
    static final int ITERATIONS = 600_000;
    /** Longest password in characters. */
    static final int LONGEST = 1024;

    private static final int SHORTEST = 12;
    private static final int SALT_BYTES = 16;

    private final Derivation derivation;

    /** Derives a key from a password. */
    @FunctionalInterface
    interface Derivation {
        byte[] derive(char[] password, byte[] salt, int iterations);
    }

    Passwords() {
        this(Passwords::pbkdf2);
    }

    Passwords(Derivation derivation) {
        this.derivation = derivation;
    }

    /**
     * Returns the hash of a password as text, for the settings. Two hashes of the same password differ.
     *
     * @throws IllegalArgumentException if the password has fewer than 12 or more than 1,024 characters, or is known to
     *     attackers
     */
    public static String hash(char[] password) {
        return new Passwords().create(password, ITERATIONS).text();
    }

    PasswordHash create(char[] password, int iterations) {
        if (password.length < SHORTEST || password.length > LONGEST) {
            throw new IllegalArgumentException(
                    "password has " + password.length + " characters; accepted: " + SHORTEST + " to " + LONGEST);
        }
        if (KnownPasswords.contains(password)) {
            throw new IllegalArgumentException(
                    "password is one of the first that attackers try; choose several random words, or a random text");
        }
        byte[] salt = Secrets.bytes(SALT_BYTES);
        return new PasswordHash(iterations, salt, derivation.derive(password, salt, iterations));
    }

    /**
     * Returns whether a password matches a hash. The check takes the time of {@code cost} iterations, so this time
     * reveals neither whether the user exists nor the number of iterations of the hash.
     *
     * @param hash hash of the user; null if there is no such user
     * @param cost largest number of iterations of all hashes
     */
    boolean verify(char[] password, @Nullable PasswordHash hash, int cost) {
        if (password.length > LONGEST) {
            return false;
        }
        int iterations = hash == null ? 0 : hash.iterations();
        boolean matches = hash != null
                && MessageDigest.isEqual(hash.hash(), derivation.derive(password, hash.salt(), iterations));
        if (cost > iterations) {
            derivation.derive(password, new byte[SALT_BYTES], cost - iterations);
        }
        return matches;
    }

    private static byte[] pbkdf2(char[] password, byte[] salt, int iterations) {
        PBEKeySpec key = new PBEKeySpec(password, salt, iterations, PasswordHash.HASH_BYTES * Byte.SIZE);
        try {
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
                    .generateSecret(key)
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java platform has no PBKDF2WithHmacSHA256", e);
        } finally {
            key.clearPassword();
        }
    }
}
