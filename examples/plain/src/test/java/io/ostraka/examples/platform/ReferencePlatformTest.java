package io.ostraka.examples.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.remote.RemoteBuilder;
import io.ostraka.remote.RemoteConfiguration;
import io.ostraka.remote.RemoteStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the reference platform with the real client, and with requests that a client never sends. */
class ReferencePlatformTest {
    private static final JobConfiguration SETTLE = JobConfiguration.newBuilder("settle", 1)
            .schedule(Schedule.cron("0 0 2 * * ?"))
            .build();

    @TempDir
    Path directory;

    private final List<String> log = new CopyOnWriteArrayList<>();
    private final AdjustedClock clock = new AdjustedClock();
    private final HttpClient client = HttpClient.newHttpClient();
    private Path files;
    private SecretFiles.Credentials keys;
    private ReferencePlatform platform;

    /** The system's clock, with a difference that the test sets. */
    private static final class AdjustedClock extends Clock {
        private volatile Duration ahead = Duration.ZERO;

        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.now().plus(ahead);
        }
    }

    @BeforeEach
    void start() throws IOException {
        files = directory.resolve("platform");
        keys = SecretFiles.create(files, "shop", "test");
        publish(7, "PT1H");
        platform = start(Set.of());
    }

    private ReferencePlatform start(Set<String> authorities) throws IOException {
        InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ReferencePlatform(files, local, authorities, clock, log::add);
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    private void publish(int revision, String every) throws IOException {
        write(
                "shop/test.json",
                "{\"revision\":%d,\"jobs\":{\"settle\":{\"schedule\":{\"type\":\"fixedRate\",\"period\":\"%s\"}}}}"
                        .formatted(revision, every));
    }

    private void write(String file, String text) throws IOException {
        Path path = files.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private RemoteBuilder application(SecretFiles.Credentials with) {
        return RemoteConfiguration.newBuilder(platform.address(), "shop")
                .environment("test")
                .key(with.keyId(), Secret.of("${file:" + with.key() + "}"))
                .trust(keys.signingId(), keys.publicKey())
                .timeout(Duration.ofSeconds(20));
    }

    private static RemoteStatus load(RemoteBuilder settings) {
        try (RemoteConfiguration remote = settings.load(List.of(SETTLE))) {
            return remote.status();
        }
    }

    private String problem(SecretFiles.Credentials with) {
        return String.valueOf(load(application(with)).problem());
    }

    // ---- the real client

    @Test
    void clientAcceptsAnswer() {
        RemoteStatus status = load(application(keys));

        assertThat(status.problem()).isNull();
        assertThat(status.revision()).isEqualTo(7);
        assertThat(log).isEmpty();
    }

    @Test
    @Tag("cluster")
    void runningJobFollowsFileAndIgnoresBrokenFile() throws Exception {
        publish(8, "PT1H");
        BlockingQueue<String> runs = new LinkedBlockingQueue<>();
        SimpleJob settle = context -> runs.add("run");
        try (var server = ZooKeeperRegistry.embedded(directory.resolve("zookeeper"));
                var remote = application(keys)
                        .pollInterval(Duration.ofSeconds(1))
                        .directory(directory.resolve("answers"))
                        .load(List.of(SETTLE));
                var registry = remote.registry(server.servers(), "shop").connect();
                var job = registry.schedule(settle, remote.configuration("settle"))) {
            remote.follow(registry);
            write("shop/test.json", "{\"revision\":9,\"jobs\":{\"set");
            Eventually.holds("a refusal in the log", () -> !log.isEmpty());
            publish(10, "PT0.1S");

            runs.take();

            assertThat(remote.configuration("settle").revision()).isEqualTo(10);
            assertThat(remote.status().problem()).isNull();
            assertThat(log).singleElement().asString().contains("test.json is not accepted", "stay in effect");
            job.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{\"revision\":8,\"jobs\":{}",
                "{\"revision\":8}",
                "{\"revision\":8,\"jobs\":[]}",
                "{\"revision\":8,\"jobs\":{},\"job\":{}}",
                "{\"revision\":8.5,\"jobs\":{}}",
                "{\"revision\":\"x\",\"jobs\":{}}",
                "{\"revision\":6,\"jobs\":{}}",
                "{\"revision\":7,\"jobs\":{}}"
            })
    void fileThatIsNotAcceptedLeavesLastGoodContentsAndIsLoggedOnce(String text) throws IOException {
        load(application(keys));
        write("shop/test.json", text);

        load(application(keys));
        RemoteStatus status = load(application(keys));

        assertThat(status.problem()).isNull();
        assertThat(status.revision()).isEqualTo(7);
        assertThat(log).singleElement().asString().contains("test.json is not accepted", "stay in effect");
        publish(8, "PT2H");
        assertThat(load(application(keys)).revision()).isEqualTo(8);
    }

    @Test
    void fileThatDisappearsLeavesLastGoodContents() throws IOException {
        load(application(keys));
        Files.delete(files.resolve("shop/test.json"));

        assertThat(load(application(keys)).revision()).isEqualTo(7);
        assertThat(load(application(keys)).revision()).isEqualTo(7);
        assertThat(log).hasSize(1);
    }

    @Test
    void wrongKeyIsRefused() throws IOException {
        Files.writeString(keys.key(), Base64.getEncoder().encodeToString(new byte[32]));
        SecretFiles.Credentials second = SecretFiles.create(files, "shop", "test");
        SecretFiles.Credentials mixed =
                new SecretFiles.Credentials(keys.keyId(), second.key(), keys.signingId(), keys.publicKey());

        assertThat(problem(mixed)).contains("(401)", keys.keyId());
    }

    @Test
    void twoKeysOfAnApplicationAreValidAtATime() throws IOException {
        SecretFiles.Credentials second = SecretFiles.create(files, "shop", "test");

        assertThat(load(application(keys)).problem()).isNull();
        assertThat(load(application(second)).problem()).isNull();
        assertThatThrownBy(() -> SecretFiles.create(files, "shop", "test")).hasMessageContaining("has two keys");
        String json = Files.readString(files.resolve("keys.json"));
        write("keys.json", json.replace(keys.keyId(), "another"));
        assertThat(problem(keys)).contains("(401)");
        assertThat(load(application(second)).problem()).isNull();
    }

    @Test
    void brokenKeysLeaveLastGoodKeys() throws IOException {
        write("keys.json", "{");

        assertThat(load(application(keys)).problem()).isNull();
        assertThat(log).singleElement().asString().contains("keys.json is not accepted");
    }

    @Test
    void keyThatIsNotReadableIsAFailureOfThePlatform() throws IOException {
        String json = Files.readString(files.resolve("keys.json"));
        write("keys.json", json.replace("keys/" + keys.keyId() + ".key", "keys/missing"));

        assertThat(problem(keys)).contains("status 503");
        assertThat(log).singleElement().asString().contains("keys/missing");
    }

    @Test
    void keyOfAnotherApplicationIsForbidden() throws IOException {
        assertThat(problem(SecretFiles.create(files, "billing", "test"))).contains("(403)");
        assertThat(problem(SecretFiles.create(files, "shop", "production"))).contains("(403)");
    }

    @Test
    void applicationWithoutConfigurationIsNotFound() throws IOException {
        Files.delete(files.resolve("shop/test.json"));

        assertThat(problem(keys)).contains("(404)");
    }

    @ParameterizedTest
    @ValueSource(ints = {-600, 600})
    void clockThatIsOffIsCorrectedByTheSignedTime(int seconds) {
        clock.ahead = Duration.ofSeconds(seconds);

        RemoteStatus status = load(application(keys));

        assertThat(status.problem()).isNull();
        assertThat(status.revision()).isEqualTo(7);
    }

    // ---- requests that the client never sends

    /** Sends a request that is signed as the document says; no code of the client or the platform signs it. */
    private HttpResponse<String> send(String target, Instant created, String nonce, String authority) throws Exception {
        return send(target, created, nonce, authority, "\"0\"");
    }

    private HttpResponse<String> send(String target, Instant created, String nonce, String authority, String tag)
            throws Exception {
        URI uri = URI.create(platform.address() + target);
        String parameters = "(\"@method\" \"@authority\" \"@path\" \"@query\");created=" + created.getEpochSecond()
                + ";nonce=\"" + nonce + "\";keyid=\"" + keys.keyId() + "\";alg=\"hmac-sha256\"";
        String base = "\"@method\": GET\n\"@authority\": " + authority + "\n\"@path\": " + uri.getRawPath()
                + "\n\"@query\": ?" + (uri.getRawQuery() == null ? "" : uri.getRawQuery())
                + "\n\"@signature-params\": " + parameters;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(
                Base64.getDecoder().decode(Files.readString(keys.key()).strip()), "HmacSHA256"));
        String signature = Base64.getEncoder().encodeToString(mac.doFinal(base.getBytes(StandardCharsets.UTF_8)));
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Signature-Input", "ostraka=" + parameters)
                .header("Signature", "ostraka=:" + signature + ":")
                .header("If-None-Match", tag)
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> send(Instant created, String nonce) throws Exception {
        return send(
                "/v1/applications/shop?environment=test",
                created,
                nonce,
                platform.address().getAuthority());
    }

    private static String payload(HttpResponse<String> response) {
        return new String(Base64.getUrlDecoder().decode(response.body().split("\\.")[1]), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"7, true", "6, false", "8, false"})
    void presentRevisionIsOnlyConfirmed(int revision, boolean confirmed) throws Exception {
        HttpResponse<String> response = send(
                "/v1/applications/shop?environment=test",
                Instant.now(),
                "nonce-of-16-chars",
                platform.address().getAuthority(),
                "\"" + revision + "\"");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(payload(response).contains("\"unchanged\":true")).isEqualTo(confirmed);
        assertThat(payload(response).contains("\"jobs\"")).isEqualTo(!confirmed);
        assertThat(payload(response)).contains("\"revision\":7", "\"nonce\":\"nonce-of-16-chars\"");
    }

    @Test
    void replayedRequestIsRefusedForTenMinutes() throws Exception {
        Instant now = Instant.now();
        assertThat(send(now, "nonce-of-16-chars").statusCode()).isEqualTo(200);

        HttpResponse<String> again = send(now, "nonce-of-16-chars");

        assertThat(again.statusCode()).isEqualTo(401);
        assertThat(again.body()).isEmpty();
        clock.ahead = Duration.ofMinutes(9);
        Instant later = Instant.now().plus(clock.ahead);
        assertThat(send(later, "nonce-of-16-chars").statusCode()).isEqualTo(401);
        clock.ahead = Duration.ofMinutes(11);
        assertThat(send(later, "nonce-of-16-chars").statusCode())
                .as("forgotten")
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"-290, 200", "290, 200", "-310, 401", "310, 401"})
    void requestIsAcceptedWithinFiveMinutes(int seconds, int status) throws Exception {
        HttpResponse<String> response = send(Instant.now().plusSeconds(seconds), "nonce-of-16-chars");

        assertThat(response.statusCode()).isEqualTo(status);
        if (status == 401) {
            assertThat(payload(response))
                    .contains("\"schema\":\"ostraka-remote-clock/1\"", "\"nonce\":\"nonce-of-16-chars\"");
        }
    }

    @Test
    void timeIsToldOnlyToAValidSignature() throws Exception {
        HttpResponse<String> valid = send(Instant.now().minusSeconds(600), "nonce-of-16-chars");
        assertThat(valid.body()).isNotEmpty();

        HttpResponse<String> response = send(
                "/v1/applications/shop?environment=test",
                Instant.now().minusSeconds(600),
                "nonce-of-16-chars",
                "another.example");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(response.body()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/applications/shop?environment=test&x=y, 404",
        "/v1/applications/shop, 404",
        "/v1/applications/..%2Fkeys?environment=test, 404",
        "/, 404",
        "/v1/applications/other?environment=test, 403"
    })
    void otherTargetsHaveNoAnswer(String target, int status) throws Exception {
        HttpResponse<String> response = send(
                target, Instant.now(), "nonce-of-16-chars", platform.address().getAuthority());

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void requestForAnotherNameOfThePlatformIsRefused() throws Exception {
        platform.close();
        platform = start(Set.of("platform.example"));

        assertThat(send(Instant.now(), "nonce-of-16-chars").statusCode()).isEqualTo(401);
    }

    @Test
    void unsignedRequestAndOtherMethodsAreRefused() throws Exception {
        URI uri = URI.create(platform.address() + "/v1/applications/shop?environment=test");
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);

        var unsigned = client.send(request.GET().build(), HttpResponse.BodyHandlers.ofString());
        var post = client.send(
                request.POST(HttpRequest.BodyPublishers.ofString("x")).build(), HttpResponse.BodyHandlers.ofString());

        assertThat(unsigned.statusCode()).isEqualTo(401);
        assertThat(post.statusCode()).isEqualTo(405);
    }

    // ---- its files

    @Test
    void onlyTheOwnerReadsSecretsAndNoJsonHasThem() throws IOException {
        List<Path> secret = new ArrayList<>();
        try (Stream<Path> all = Files.list(files.resolve("keys"))) {
            all.filter(file -> file.toString().endsWith(".key")).forEach(secret::add);
        }
        assertThat(secret).hasSize(2);
        for (Path file : secret) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(Files.readString(files.resolve("keys.json")) + Files.readString(files.resolve("signing.json")))
                    .doesNotContain(Files.readString(file).strip());
        }
    }

    @Test
    void platformDoesNotStartWithoutKeys() throws IOException {
        write("signing.json", "{\"id\":\"p1\",\"key\":\"not-a-reference\"}");
        platform.close();

        assertThatThrownBy(() -> start(Set.of()))
                .hasMessageContaining("${env:NAME}")
                .hasMessageNotContaining("not-a-reference");
    }

    @Test
    void sharesNoCodeWithTheClient() throws IOException {
        try (Stream<Path> sources = Files.list(Path.of("src/main/java/io/ostraka/examples/platform"))) {
            for (Path source : sources.toList()) {
                assertThat(Files.readString(source)).doesNotContain("io.ostraka.remote");
            }
        }
    }
}
