package io.ostraka.console.security;

import java.security.MessageDigest;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The bearer tokens of programs. A token is {@value #PREFIX} and 256 random bits. The settings hold only its SHA-256
 * digest, so a reader of the settings cannot use a token. Thread-safe.
 */
public final class Tokens {
    static final String PREFIX = "ostraka_";

    private static final String SCHEME = "sha256:";

    private final List<Token> all;

    /**
     * A token of the settings.
     *
     * @param name name of the program
     * @param digest SHA-256 digest of the token
     * @param expires time from which the token is refused
     * @param grants grants of the program
     */
    record Token(String name, Digest digest, Instant expires, List<Grant> grants) {
        Token {
            grants = List.copyOf(grants);
        }
    }

    /** Digest of a token. */
    static final class Digest {
        private final byte[] bytes;

        private Digest(byte[] bytes) {
            this.bytes = bytes;
        }

        /**
         * Reads {@code sha256:HEX}.
         *
         * @throws IllegalArgumentException if the text is not accepted; the message does not contain the text, which
         *     may be a token by mistake
         */
        static Digest parse(String text) {
            String stripped = text.strip();
            if (!stripped.matches(SCHEME + "[0-9a-fA-F]{64}")) {
                throw new IllegalArgumentException("digest of the token is not accepted; accepted: " + SCHEME
                        + " and the 64 hex digits of the token's SHA-256 digest");
            }
            return new Digest(HexFormat.of().parseHex(stripped.substring(SCHEME.length())));
        }

        boolean isOf(byte[] digest) {
            return MessageDigest.isEqual(bytes, digest);
        }

        boolean equalTo(Digest other) {
            return isOf(other.bytes);
        }

        @Override
        public String toString() {
            return "SHA-256 digest";
        }
    }

    Tokens(Collection<Token> all) {
        this.all = List.copyOf(all);
    }

    /** Returns a new token, which is not stored anywhere; the settings get only its {@link #digest}. */
    public static String create() {
        return PREFIX + Secrets.create();
    }

    /** Returns the digest of a token as text, for the settings. */
    public static String digest(String token) {
        return SCHEME + HexFormat.of().formatHex(Secrets.sha256(token));
    }

    /**
     * Returns a token that is known and has not expired. The text is compared with every token, so the time does not
     * reveal how similar the text is to a token.
     */
    Optional<Token> find(String text, Instant now) {
        byte[] digest = Secrets.sha256(text);
        Token found = null;
        for (Token each : all) {
            if (each.digest().isOf(digest)) {
                found = each;
            }
        }
        return Optional.ofNullable(found).filter(token -> now.isBefore(token.expires()));
    }
}
