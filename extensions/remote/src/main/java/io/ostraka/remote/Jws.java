package io.ostraka.remote;

import com.google.gson.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A signed document in the compact form of JSON Web Signature (RFC 7515), signed with Ed25519 (RFC 8037). The algorithm
 * is fixed, and the trusted keys come only from the application's settings. The document just names the key with which
 * it was signed. A document that contains a key, or a link to a key, is refused.
 */
final class Jws {
    static final String ALGORITHM = "EdDSA";
    static final String TYPE = "ostraka+jws";

    private static final Set<String> HEADER = Set.of("alg", "kid", "typ");
    private static final int LONGEST_HEADER = 1_000;

    private Jws() {}

    /**
     * Verifies the signature of a document and returns its payload.
     *
     * @param document the document
     * @param trusted trusted public keys by id
     * @throws RefusedAnswerException if the document is not readable, or if its signature is not valid
     */
    static String verified(String document, Map<String, PublicKey> trusted) {
        String[] parts = document.split("\\.", -1);
        if (parts.length != 3) {
            throw new RefusedAnswerException("the answer is not a signed document (compact JWS of three parts)");
        }
        if (parts[0].length() > LONGEST_HEADER) {
            throw new RefusedAnswerException(
                    "the header of the answer is longer than " + LONGEST_HEADER + " characters");
        }
        JsonObject header = Json.object("the header of the answer", text(parts[0]));
        if (!header.keySet().equals(HEADER)) {
            throw new RefusedAnswerException("the header of the answer has the members "
                    + Json.shown(new TreeSet<>(header.keySet()).toString()) + "; accepted: " + new TreeSet<>(HEADER));
        }
        require(header, "alg", ALGORITHM);
        require(header, "typ", TYPE);
        String id = Json.text("the header of the answer", header, "kid");
        PublicKey key = trusted.get(id);
        if (key == null) {
            throw new RefusedAnswerException("the answer is signed with the key '" + Json.shown(id) + "'; trusted: "
                    + new TreeSet<>(trusted.keySet()));
        }
        if (!isSigned(parts, key)) {
            throw new RefusedAnswerException(
                    "the signature of the answer does not belong to the key '" + id + "', or the answer was changed");
        }
        return text(parts[1]);
    }

    private static void require(JsonObject header, String member, String accepted) {
        String value = Json.text("the header of the answer", header, member);
        if (!value.equals(accepted)) {
            throw new RefusedAnswerException(
                    "the header of the answer has " + member + " '" + Json.shown(value) + "'; accepted: " + accepted);
        }
    }

    private static boolean isSigned(String[] parts, PublicKey key) {
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initVerify(key);
            signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
            return signature.verify(bytes(parts[2]));
        } catch (GeneralSecurityException e) {
            return false; // the signature has a wrong form
        }
    }

    private static String text(String encoded) {
        return Json.utf8("the answer", bytes(encoded));
    }

    private static byte[] bytes(String encoded) {
        try {
            return Base64.getUrlDecoder().decode(encoded);
        } catch (IllegalArgumentException e) {
            throw new RefusedAnswerException("a part of the answer is not in Base64url", e);
        }
    }

    /**
     * Returns a public key of Ed25519.
     *
     * @param text the key in the form SubjectPublicKeyInfo, in Base64, with or without the lines of a PEM file
     * @throws IllegalArgumentException if the text is not such a key
     */
    static PublicKey key(String id, String text) {
        String base64 = text.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
        try {
            return KeyFactory.getInstance("Ed25519")
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(base64)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the trusted key '" + id + "' is not readable; accepted: a public key of Ed25519 in Base64, as"
                            + " 'openssl pkey -pubout' prints it",
                    e);
        }
    }
}
