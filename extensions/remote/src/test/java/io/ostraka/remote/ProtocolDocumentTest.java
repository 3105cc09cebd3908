package io.ostraka.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the test vectors and the tables of the document of the wire format, since other teams implement it. */
class ProtocolDocumentTest {
    private static final Path DOCUMENT = Repository.designPage("remote-protocol.md");
    private static final Pattern VECTOR =
            Pattern.compile("^```text vector=(\\S+)\\n(.*?)\\n^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern ROW_OF_FIELDS =
            Pattern.compile("^\\| (`\\w+`(?:, `\\w+`)*) \\| (.*) \\|$", Pattern.MULTILINE);
    private static final Pattern OBJECT = Pattern.compile("`(\\{.*?})`");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final String NONCE = "AAECAwQFBgcICQoLDA0ODw";
    private static final Instant TIME = Instant.parse("2026-01-31T22:00:00Z");
    private static final JobRules RULES = new JobRules(
            Map.of(
                    "settle", JobConfiguration.newBuilder("settle", 1).build(),
                    "report", JobConfiguration.newBuilder("report", 1).build()),
            List.of("*"),
            JobRules.allFields());

    private static final Map<String, String> VECTORS = new TreeMap<>();
    private static String text;
    private static Map<String, PublicKey> trusted;

    @BeforeAll
    static void read() throws IOException {
        text = Files.readString(DOCUMENT);
        VECTOR.matcher(text).results().forEach(found -> VECTORS.put(found.group(1), found.group(2)));
        trusted = Map.of("p1", Jws.key("p1", vector("platform-public")));
    }

    private static String vector(String name) {
        assertThat(VECTORS).containsKey(name);
        return VECTORS.get(name);
    }

    private static String document(String name) {
        return vector(name).replace("\n", "");
    }

    @Test
    void requestIsTheOneThatTheClientSends() {
        Map<String, String> headers = SignedRequest.headers(
                URI.create("https://platform.example/v1/applications/orders?environment=production"),
                "orders-1",
                Base64.getDecoder().decode(vector("application-key")),
                TIME,
                NONCE);

        List<String> lines = new ArrayList<>(List.of(
                "GET /v1/applications/orders?environment=production HTTP/1.1",
                "Host: platform.example",
                "Accept: application/jose",
                "If-None-Match: \"41\""));
        headers.forEach((name, value) -> lines.add(name + ": " + value));
        assertThat(vector("request").lines()).containsExactlyElementsOf(lines);
        String signature = SignedRequest.signature(
                Base64.getDecoder().decode(vector("application-key")), vector("signature-base"));
        assertThat(headers.get("Signature")).isEqualTo("ostraka=:" + signature + ":");
    }

    @ParameterizedTest
    @CsvSource({"answer", "confirmation", "time"})
    void documentHasThePayloadAndTheSignature(String name) throws Exception {
        byte[] secret = Base64.getDecoder().decode(vector("platform-private"));
        KeyPair keys = new KeyPair(
                trusted.get("p1"), KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(secret)));

        assertThat(Jws.verified(document(name), trusted)).isEqualTo(vector(name + "-payload"));
        assertThat(TestPlatform.sign(vector("header"), vector(name + "-payload"), keys))
                .as("a signature of Ed25519 has no random part")
                .isEqualTo(document(name));
    }

    @Test
    void answerIsAccepted() {
        Answer answer = Answer.read(vector("answer-payload"), "orders", "production", NONCE);
        Answer confirmation = Answer.read(vector("confirmation-payload"), "orders", "production", NONCE);

        assertThat(answer.revision()).isEqualTo(42);
        assertThat(answer.issuedAt()).isEqualTo(TIME);
        assertThat(RULES.merge(answer).get("settle").effective().shardingTotalCount())
                .isEqualTo(8);
        assertThat(RULES.merge(answer).get("report").effective().pauseReason()).isEqualTo("the books are closed");
        assertThat(Connection.read(answer.connection(), List.of(), Set.of()).sessionTimeout())
                .hasSeconds(20);
        assertThat(confirmation.unchanged()).isTrue();
        assertThat(confirmation.tag()).isEqualTo("\"41\"");
        assertThat(Answer.clock(vector("time-payload"), NONCE)).isEqualTo(TIME.plusSeconds(600));
    }

    @ParameterizedTest
    @CsvSource({"refused-none, alg 'none'", "refused-jku, jku", "refused-member, scripts"})
    void documentIsRefused(String name, String expected) {
        assertThatThrownBy(() -> Answer.read(Jws.verified(document(name), trusted), "orders", "production", NONCE))
                .isInstanceOf(RefusedAnswerException.class)
                .hasMessageContaining(expected);
    }

    @Test
    void eachChangedBitIsRefused() {
        byte[] whole = document("answer").getBytes(StandardCharsets.US_ASCII);
        int signature = document("answer").lastIndexOf('.');
        for (int i = 0; i < whole.length - 1; i++) { // the last character has bits that are not part of the signature
            byte[] changed = Arrays.copyOf(whole, whole.length);
            changed[i] = (byte) (changed[i] == 'A' ? 'B' : 'A');
            String document = new String(changed, StandardCharsets.US_ASCII);
            assertThatThrownBy(() -> Jws.verified(document, trusted))
                    .as("character %d, signature from %d", i, signature)
                    .isInstanceOf(RefusedAnswerException.class);
        }
    }

    @Test
    void tableOfFieldsIsCompleteAndItsValuesAreAccepted() {
        Set<String> fields = new TreeSet<>();
        String table =
                text.substring(text.indexOf("Each job can have any of"), text.indexOf("`connection` can have any of"));
        ROW_OF_FIELDS.matcher(table).results().forEach(row -> {
            List<String> names = NAME.matcher(row.group(1))
                    .results()
                    .map(name -> name.group(1))
                    .toList();
            fields.addAll(names);
            OBJECT.matcher(row.group(2)).results().forEach(value -> accept(names.get(0), value.group(1)));
        });

        fields.remove(JobRules.REVISION);
        assertThat(fields).isEqualTo(JobRules.allFields());
    }

    private static void accept(String field, String value) {
        JsonObject payload = Json.object("the answer", vector("answer-payload"));
        payload.add("jobs", Json.object("the value", "{\"settle\":{\"%s\":%s}}".formatted(field, value)));
        Answer answer = Answer.read(payload.toString(), "orders", "production", NONCE);
        assertThat(RULES.merge(answer).get("settle").fields()).contains(field);
    }

    @Test
    void limitsAreThoseOfTheCode() {
        assertThat(text).contains("at most 1 MiB", Answer.SCHEMA, Answer.CLOCK_SCHEMA, Jws.ALGORITHM, Jws.TYPE);
        assertThat(Platform.LARGEST_ANSWER).isEqualTo(1 << 20);
        assertThat(Platform.SHORTEST_KEY).isEqualTo(32);
    }
}
