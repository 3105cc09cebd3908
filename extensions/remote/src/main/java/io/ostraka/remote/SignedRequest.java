package io.ostraka.remote;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests with HMAC-SHA256, as defined by HTTP Message Signatures (RFC 9421, section 3.3.3). The signature
 * covers the method, authority, path and query of the request, the time of the signature, the nonce and the id of the
 * key.
 */
final class SignedRequest {
    private static final String ALGORITHM = "HmacSHA256";

    private SignedRequest() {}

    /**
     * Returns the headers {@code Signature-Input} and {@code Signature} of a GET request.
     *
     * @param target target of the request, with a query
     * @param keyId id of the key
     * @param key the key
     * @param created time of the signature
     * @param nonce nonce of the request
     */
    static Map<String, String> headers(URI target, String keyId, byte[] key, Instant created, String nonce) {
        Map<String, String> components = new LinkedHashMap<>();
        components.put("@method", "GET");
        components.put("@authority", authority(target));
        components.put("@path", target.getRawPath());
        components.put("@query", "?" + target.getRawQuery());
        String parameters =
                components.keySet().stream().map(name -> "\"" + name + "\"").collect(Collectors.joining(" ", "(", ")"))
                        + ";created=" + created.getEpochSecond() + ";nonce=\"" + nonce + "\";keyid=\"" + keyId
                        + "\";alg=\"hmac-sha256\"";
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Signature-Input", "ostraka=" + parameters);
        headers.put("Signature", "ostraka=:" + signature(key, base(components, parameters)) + ":");
        return headers;
    }

    /** Returns the host and the port, as section 2.2.3 requires: in lower case, without the default port. */
    private static String authority(URI target) {
        String host = target.getHost().toLowerCase(Locale.ROOT);
        int port = target.getPort();
        boolean standard = port < 0 || port == (target.getScheme().equals("https") ? 443 : 80);
        return standard ? host : host + ":" + port;
    }

    /** Returns the signature base, the text to sign, as section 2.5 defines it. */
    static String base(Map<String, String> components, String parameters) {
        StringBuilder base = new StringBuilder();
        components.forEach((name, value) ->
                base.append('"').append(name).append("\": ").append(value).append('\n'));
        return base.append("\"@signature-params\": ").append(parameters).toString();
    }

    static String signature(byte[] key, String base) {
        return Base64.getEncoder().encodeToString(mac(key, base));
    }

    /** Returns the HMAC-SHA256 of a text. */
    static byte[] mac(byte[] key, String text) {
        SecretKeySpec secret = new SecretKeySpec(key, ALGORITHM);
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }
}
