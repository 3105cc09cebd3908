package io.ostraka.console.security;

import java.util.Base64;

/**
 * The hash of a password in the form {@code pbkdf2-sha256$ITERATIONS$SALT$HASH}, with salt and hash in base64url.
 * Immutable.
 */
final class PasswordHash {
    static final int FEWEST_ITERATIONS = 100_000;
    static final int MOST_ITERATIONS = 5_000_000;
    static final int HASH_BYTES = 32;

    private static final String SCHEME = "pbkdf2-sha256";
    private static final int LEAST_SALT = 16;
    private static final int LONGEST_SALT = 64;

    private final int iterations;
    private final byte[] salt;
    private final byte[] hash;

    PasswordHash(int iterations, byte[] salt, byte[] hash) {
        this.iterations = iterations;
        this.salt = salt.clone();
        this.hash = hash.clone();
    }

    /**
     * Reads the text form. A login with a huge number of iterations would block a processor for minutes, and a small
     * number makes the password easy to find, so both are refused.
     *
     * @throws IllegalArgumentException if the text is not accepted; the message does not contain the text, which may be
     *     a password by mistake
     */
    static PasswordHash parse(String text) {
        String[] parts = text.strip().split("\\$", -1);
        if (parts.length != 4 || !parts[0].equals(SCHEME)) {
            throw refused("it does not have the form");
        }
        if (!parts[1].matches("[0-9]{1,9}")) {
            throw refused("its iterations are not a number");
        }
        int iterations = Integer.parseInt(parts[1]);
        if (iterations < FEWEST_ITERATIONS || iterations > MOST_ITERATIONS) {
            throw refused("it has " + iterations + " iterations");
        }
        byte[] salt = decode(parts[2]);
        byte[] hash = decode(parts[3]);
        if (salt.length < LEAST_SALT || salt.length > LONGEST_SALT) {
            throw refused("its salt has " + salt.length + " bytes");
        }
        if (hash.length != HASH_BYTES) {
            throw refused("its hash has " + hash.length + " bytes");
        }
        return new PasswordHash(iterations, salt, hash);
    }

    private static byte[] decode(String text) {
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw refused("its salt or hash is not base64url");
        }
    }

    private static IllegalArgumentException refused(String why) {
        return new IllegalArgumentException("password hash is not accepted, because " + why + "; accepted: " + SCHEME
                + "$ITERATIONS$SALT$HASH with " + FEWEST_ITERATIONS + " to " + MOST_ITERATIONS
                + " iterations, a salt of " + LEAST_SALT + " to " + LONGEST_SALT + " bytes and a hash of " + HASH_BYTES
                + " bytes");
    }

    int iterations() {
        return iterations;
    }

    byte[] salt() {
        return salt.clone();
    }

    byte[] hash() {
        return hash.clone();
    }

    String text() {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return SCHEME + "$" + iterations + "$" + encoder.encodeToString(salt) + "$" + encoder.encodeToString(hash);
    }

    @Override
    public String toString() {
        return SCHEME + " with " + iterations + " iterations";
    }
}
