package io.ostraka.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SignedRequestTest {
    /** The test vector of RFC 9421, appendix B.2.5, with the key of appendix B.1.5. */
    @Test
    void signatureIsThatOfTheStandard() {
        byte[] key = Base64.getDecoder()
                .decode("uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==");
        Map<String, String> components = new LinkedHashMap<>();
        components.put("date", "Tue, 20 Apr 2021 02:07:55 GMT");
        components.put("@authority", "example.com");
        components.put("content-type", "application/json");

        String base = SignedRequest.base(
                components,
                "(\"date\" \"@authority\" \"content-type\");created=1618884473;keyid=\"test-shared-secret\"");

        assertThat(SignedRequest.signature(key, base)).isEqualTo("pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=");
    }

    @Test
    void requestIsSignedWithItsTargetItsTimeAndItsNonce() {
        Map<String, String> headers = SignedRequest.headers(
                URI.create("https://Platform.example:443/v1/applications/orders?environment=default"),
                "orders-1",
                new byte[32],
                Instant.ofEpochSecond(1_700_000_000),
                "n-1");

        String parameters = "(\"@method\" \"@authority\" \"@path\" \"@query\");created=1700000000;nonce=\"n-1\""
                + ";keyid=\"orders-1\";alg=\"hmac-sha256\"";
        String base = "\"@method\": GET\n\"@authority\": platform.example\n\"@path\": /v1/applications/orders\n"
                + "\"@query\": ?environment=default\n\"@signature-params\": " + parameters;
        assertThat(headers)
                .containsEntry("Signature-Input", "ostraka=" + parameters)
                .containsEntry("Signature", "ostraka=:" + SignedRequest.signature(new byte[32], base) + ":");
    }
}
