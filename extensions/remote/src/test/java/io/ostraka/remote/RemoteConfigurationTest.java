package io.ostraka.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobOptions;
import io.ostraka.api.OnceListener;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.remote.RemoteStatus.Source;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests an application whose platform, a real HTTP server, misbehaves: what the application does, and what it says. */
class RemoteConfigurationTest {
    private static final JobConfiguration SETTLE = JobConfiguration.newBuilder("settle", 4)
            .schedule(Schedule.cron("0 0 2 * * ?"))
            .jobParameter("own")
            .build();
    private static final JobConfiguration REPORT = JobConfiguration.newBuilder("report", 1)
            .schedule(Schedule.fixedRate(Duration.ofMinutes(5)))
            .build();
    private static final String CRON_3 =
            "{\"jobs\":{\"settle\":{\"schedule\":{\"type\":\"cron\",\"expression\":\"0 0 3 * * ?\",\"zone\":\"UTC\"}},\"report\":{}}}";

    private static final String FIXED_DELAY =
            "{\"jobs\":{\"settle\":{\"schedule\":{\"type\":\"fixedDelay\",\"delay\":\"PT30S\"}},\"report\":{}}}";

    @TempDir
    Path directory;

    private TestPlatform platform;
    private final List<RemoteConfiguration> loaded = new ArrayList<>();
    private final Map<String, JobConfiguration> applied = new TreeMap<>();

    @BeforeEach
    void startPlatform() throws IOException {
        platform = TestPlatform.start();
        platform.publish(7, CRON_3);
    }

    @AfterEach
    void stopPlatform() {
        loaded.forEach(RemoteConfiguration::close);
        platform.close();
    }

    private RemoteBuilder settings() {
        return platform.application().directory(directory).timeout(Duration.ofSeconds(20));
    }

    private RemoteConfiguration load() {
        return load(settings());
    }

    private RemoteConfiguration load(RemoteBuilder settings) {
        RemoteConfiguration remote = settings.load(List.of(SETTLE, REPORT));
        loaded.add(remote);
        return remote;
    }

    /** Loads an application whose clock differs, and which asks only when the test does. */
    private RemoteConfiguration load(RemoteBuilder settings, Duration ahead) {
        Map<String, JobConfiguration> local = Map.of("settle", SETTLE, "report", REPORT);
        RemoteConfiguration remote = new RemoteConfiguration(
                        settings,
                        local,
                        new io.ostraka.remote.HttpExchange(settings.sslContext, settings.timeout),
                        new StoppedTicker(),
                        Clock.offset(Clock.systemUTC(), ahead))
                .start();
        remote.follow(
                (Collection<JobConfiguration> changed) -> changed.forEach(each -> applied.put(each.jobName(), each)));
        return remote;
    }

    private static final class StoppedTicker implements RemoteConfiguration.Ticker {
        @Override
        public void after(Duration pause, Runnable task) {}

        @Override
        public void close() {}
    }

    private static void poll(RemoteConfiguration remote) {
        remote.poll().toCompletableFuture().join();
    }

    /** Records what an instance's health shows. */
    private static final class Health implements SubscriberContext {
        private @Nullable String problem;

        @Override
        public String namespace() {
            return "orders";
        }

        @Override
        public Load load() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void problem(@Nullable String text) {
            problem = text;
        }
    }

    private static Health health(RemoteConfiguration remote) {
        Health health = new Health();
        remote.healthReporter().started(health);
        return health;
    }

    /** Hosts the job with a listener that accepts no fixed delay. */
    private static void hostWithOnceListener(RemoteConfiguration remote) {
        SimpleJob settle = context -> {};
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect("localhost:1", "orders")) {
            remote.host(registry, settle, "settle", JobOptions.none().listeners(new OnceListener() {}));
        }
    }

    private static String cron(RemoteConfiguration remote) {
        return ((Schedule.Cron) remote.configuration("settle").schedule()).expression();
    }

    // ---- all is well

    @Test
    void valuesOfThePlatformTakePrecedenceOverTheApplicationsOwn() {
        RemoteConfiguration remote = load();

        JobConfiguration settle = remote.configuration("settle");
        assertThat(cron(remote)).isEqualTo("0 0 3 * * ?");
        assertThat(settle.shardingTotalCount())
                .as("the platform does not set it")
                .isEqualTo(4);
        assertThat(settle.jobParameter()).isEqualTo("own");
        assertThat(settle.revision()).isEqualTo(7);
        assertThat(remote.fields("settle")).containsExactlyInAnyOrder("revision", "schedule");
        assertThat(remote.status().source()).isEqualTo(Source.PLATFORM);
        assertThat(remote.status().problem()).isNull();
    }

    @Test
    void answerThatArrivesAfterTheCloseHasNoEffect() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        remote.close();
        platform.publish(8, CRON_3.replace("0 0 3", "0 0 4"));
        poll(remote);
        platform.misbehave((exchange, nonce) -> platform.respond(exchange, 500, ""));
        poll(remote);

        assertThat(applied).isEmpty();
        assertThat(remote.status().revision()).isEqualTo(7);
        assertThat(remote.status().problem()).isNull();
    }

    @Test
    void newRevisionIsAppliedAndAnUnchangedOneOnlyConfirmed() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        platform.takeStatuses();

        poll(remote);
        assertThat(applied).as("nothing has changed").isEmpty();
        platform.publish(8, CRON_3.replace("0 0 3", "0 0 4"));
        poll(remote);

        assertThat(platform.takeStatuses()).containsExactly(200, 200);
        assertThat(applied.keySet()).containsExactlyInAnyOrder("settle", "report");
        assertThat(applied.get("settle").revision()).isEqualTo(8);
        assertThat(cron(remote)).isEqualTo("0 0 4 * * ?");
    }

    @Test
    void jobWithARevisionOfItsOwnIsAppliedOnlyIfThisChanges() {
        platform.publish(7, "{\"jobs\":{\"settle\":{\"revision\":3},\"report\":{\"revision\":5}}}");
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        platform.publish(8, "{\"jobs\":{\"settle\":{\"revision\":3},\"report\":{\"revision\":8,\"paused\":true}}}");

        poll(remote);

        assertThat(applied.keySet()).containsExactly("report");
        assertThat(remote.configuration("settle").revision()).isEqualTo(3);
        platform.publish(
                9,
                "{\"jobs\":{\"settle\":{\"revision\":3,\"paused\":true},\"report\":{\"revision\":8,\"paused\":true}}}");
        poll(remote);
        assertThat(remote.status().problem()).contains("settle", "other settings than before");
    }

    /** Guards against a configuration that ZooKeeper never takes over, because the stored one has a higher revision. */
    @ParameterizedTest
    @CsvSource({"7, 7", "7, 3", "5, 4", "absent, 3"})
    void revisionOfAJobThatWouldHaveNoEffectIsRefused(String before, int after) {
        String settle = "{\"jobs\":{\"report\":{},\"settle\":{\"revision\":%s,\"jobParameter\":\"%s\"}}}";
        platform.publish(
                7,
                switch (before) {
                    case "absent" -> "{\"jobs\":{\"report\":{}}}";
                    case "7" -> "{\"jobs\":{\"report\":{},\"settle\":{\"jobParameter\":\"old\"}}}";
                    default -> settle.formatted(before, "old");
                });
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        JobConfiguration present = remote.configuration("settle");

        platform.publish(8, settle.formatted(after, "new"));
        poll(remote);

        assertThat(remote.status().problem())
                .contains("refused: job 'settle'", "revision " + after, "revision 7 is in effect");
        assertThat(remote.configuration("settle")).isEqualTo(present);
        assertThat(applied).isEmpty();
        platform.publish(9, settle.formatted(9, "new"));
        poll(remote);
        assertThat(remote.status().problem()).isNull();
        assertThat(applied.get("settle").jobParameter()).isEqualTo("new");
    }

    @Test
    void jobThatThePlatformNoLongerDefinesIsPausedWithTheReasonAndComesBack() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);

        platform.publish(8, "{\"jobs\":{\"report\":{},\"elsewhere\":{}}}");
        poll(remote);

        assertThat(applied.get("settle").paused()).isTrue();
        assertThat(applied.get("settle").pauseReason()).isEqualTo("revision 8 of the platform does not define the job");
        assertThat(remote.status().absentJobs()).containsExactly("settle");
        assertThat(remote.status().unknownJobs()).containsExactly("elsewhere");
        platform.publish(9, CRON_3);
        poll(remote);
        assertThat(applied.get("settle").paused()).isFalse();
        assertThat(applied.get("settle").pauseReason()).isEmpty();
    }

    // ---- a platform that is down or slow

    @Test
    void platformThatIsDownAtTheStartLeavesTheApplicationsOwnConfiguration() {
        platform.close();

        RemoteConfiguration remote = load();

        assertThat(remote.configuration("settle")).isEqualTo(SETTLE);
        assertThat(remote.status().source()).isEqualTo(Source.LOCAL);
        assertThat(remote.status().problem())
                .contains("the platform does not answer", "the application's own configuration is in effect");
    }

    @Test
    void platformThatIsDownAtTheStartLeavesTheAnswerOnDisk() {
        load().close();
        platform.close();

        RemoteConfiguration remote = load();

        assertThat(cron(remote)).isEqualTo("0 0 3 * * ?");
        assertThat(remote.status().source()).isEqualTo(Source.DISK);
        assertThat(remote.status().problem()).contains("revision 7 from the disk is in effect");
    }

    @Test
    void platformThatGoesDownLaterChangesNothingUntilItIsBack() throws IOException {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        platform.close();
        poll(remote);

        assertThat(cron(remote)).isEqualTo("0 0 3 * * ?");
        assertThat(remote.status().problem()).contains("does not answer", "revision 7 is in effect");
        platform = TestPlatform.startAt(platform);
        platform.publish(8, CRON_3.replace("0 0 3", "0 0 4"));
        poll(remote);
        assertThat(remote.status().problem()).isNull();
        assertThat(cron(remote)).isEqualTo("0 0 4 * * ?");
    }

    @Test
    void healthShowsAPlatformThatGoesDownLaterAfterThreeRequests() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        Health health = health(remote);
        platform.close();

        poll(remote);
        poll(remote);
        assertThat(health.problem).isNull();
        poll(remote);

        assertThat(health.problem)
                .contains("does not answer")
                .isEqualTo(remote.status().problem());
    }

    /** Guards against two different reasons in the status and in the health. */
    @Test
    void healthThatShowsARefusedAnswerFollowsTheStatusAtOnce() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        Health health = health(remote);
        platform.publish(6, CRON_3);
        poll(remote);
        assertThat(health.problem).contains("older than the present 7");
        platform.close();

        poll(remote);

        assertThat(health.problem)
                .contains("does not answer")
                .isEqualTo(remote.status().problem());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void slowPlatformDelaysTheStartOnlyUpToTheLimit(boolean inTheBody) {
        CountDownLatch never = new CountDownLatch(1);
        platform.misbehave((exchange, nonce) -> {
            if (inTheBody) {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write('e');
                exchange.getResponseBody().flush();
            }
            await(never);
        });

        RemoteConfiguration remote = load(settings().timeout(Duration.ofMillis(500)));

        never.countDown();
        assertThat(remote.configuration("settle")).isEqualTo(SETTLE);
        assertThat(remote.status().problem()).contains("no answer within PT0.5S");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- answers that are refused

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>Bad Gateway</html>",
                "{\"revision\":8}",
                "a.b",
                "a.b.c.d",
                "..",
                "e30.e30.e30",
                "\u0000\u0001",
                "eyJhbGciOiJub25lIiwia2lkIjoicDEiLCJ0eXAiOiJvc3RyYWthK2p3cyJ9.e30."
            })
    void garbageIsRefused(String body) {
        expectRefused((exchange, nonce) -> platform.respond(exchange, 200, body), "refused: ");
    }

    @Test
    void halfAnAnswerIsRefused() {
        expectRefused(
                (exchange, nonce) -> {
                    byte[] whole = platform.sign(platform.payload(nonce)).getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(200, whole.length);
                    exchange.getResponseBody().write(whole, 0, whole.length / 2);
                    exchange.getResponseBody().flush();
                    exchange.close();
                },
                "the platform does not answer");
        expectRefused(
                (exchange, nonce) -> {
                    String whole = platform.sign(platform.payload(nonce));
                    platform.respond(exchange, 200, whole.substring(0, whole.length() / 2));
                },
                "refused: ");
    }

    @Test
    void endlessAnswerIsRefused() {
        expectRefused(
                (exchange, nonce) -> platform.respond(exchange, 200, "a".repeat(3 * Platform.LARGEST_ANSWER)),
                "longer than 1048576 bytes");
    }

    @Test
    void replayedAnswerIsRefused() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        String[] old = new String[1];
        platform.misbehave((exchange, nonce) -> {
            old[0] = platform.sign(platform.payload(nonce));
            platform.respond(exchange, 200, old[0]);
        });
        poll(remote);
        platform.publish(8, CRON_3.replace("0 0 3", "0 0 4"));
        platform.misbehave(null);
        poll(remote);

        platform.misbehave((exchange, nonce) -> platform.respond(exchange, 200, old[0]));
        poll(remote);

        assertThat(cron(remote)).isEqualTo("0 0 4 * * ?");
        assertThat(remote.status().problem()).contains("belongs to another request", "revision 8 is in effect");
    }

    @Test
    void olderRevisionAndOtherContentsUnderTheSameRevisionAreRefused() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);

        platform.publish(6, CRON_3);
        poll(remote);
        assertThat(remote.status().problem()).contains("older than the present 7");
        platform.publish(7, CRON_3.replace("0 0 3", "0 0 5"));
        platform.misbehave(
                (exchange, nonce) -> platform.respond(exchange, 200, platform.sign(platform.payload(nonce))));
        poll(remote);

        assertThat(remote.status().problem()).contains("other contents than before under the same revision 7");
        assertThat(cron(remote)).isEqualTo("0 0 3 * * ?");
        assertThat(applied).isEmpty();
    }

    @Test
    void olderRevisionIsRefusedAfterARestart() {
        load().close();
        platform.publish(6, CRON_3.replace("0 0 3", "0 0 5"));

        RemoteConfiguration remote = load();

        assertThat(cron(remote)).isEqualTo("0 0 3 * * ?");
        assertThat(remote.status().problem()).contains("older than the present 7", "from the disk");
    }

    @Test
    void confirmationOfARevisionThatTheApplicationDoesNotHaveIsRefused() {
        expectRefused(
                (exchange, nonce) -> platform.respond(exchange, 200, platform.sign(platform.confirmation(7, nonce))),
                "confirms revision 7, which this application does not have");
    }

    @Test
    void unsignedConfirmationIsRefused() {
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        platform.misbehave((exchange, nonce) -> {
            platform.statuses.add(304);
            exchange.sendResponseHeaders(304, -1);
        });

        poll(remote);

        assertThat(remote.status().problem()).contains("status 304", "only a signed answer can confirm");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'alg':'none','kid':'p1','typ':'ostraka+jws'}               | alg 'none'; accepted: EdDSA",
                "{'alg':'HS256','kid':'p1','typ':'ostraka+jws'}              | alg 'HS256'; accepted: EdDSA",
                "{'alg':'EdDSA','kid':'p2','typ':'ostraka+jws'}              | signed with the key 'p2'; trusted: [p1]",
                "{'alg':'EdDSA','kid':'p1','typ':'JWT'}                      | typ 'JWT'; accepted: ostraka+jws",
                "{'alg':'EdDSA','kid':'p1','typ':'ostraka+jws','jwk':{}}     | accepted: [alg, kid, typ]",
                "{'alg':'EdDSA','kid':'p1','typ':'ostraka+jws','crit':['x']} | accepted: [alg, kid, typ]",
            })
    void headerOfTheSignatureIsFixed(String header, String expected) {
        expectRefused(
                (exchange, nonce) -> platform.respond(
                        exchange,
                        200,
                        platform.sign(
                                header.replace('\'', '"'),
                                platform.payload(nonce).toString())),
                expected);
    }

    @Test
    void wrongSignatureIsRefused() {
        expectRefused(
                (exchange, nonce) -> platform.respond(
                        exchange,
                        200,
                        TestPlatform.sign(
                                "{\"alg\":\"EdDSA\",\"kid\":\"p1\",\"typ\":\"ostraka+jws\"}",
                                platform.payload(nonce).toString(),
                                TestPlatform.keys())),
                "the signature of the answer does not belong to the key 'p1'");
    }

    @ParameterizedTest
    @CsvSource({"application, billing", "environment, staging", "schema, ostraka-remote/2"})
    void answerForAnotherApplicationIsRefused(String member, String value) {
        expectRefused(
                (exchange, nonce) -> {
                    JsonObject payload = platform.payload(nonce);
                    payload.addProperty(member, value);
                    platform.respond(exchange, 200, platform.sign(payload));
                },
                "the answer: " + member + " is \"" + value + "\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'jobs':{'settle':{'errorHandler':'WEBHOOK'}}}               | field 'errorHandler' is not allowed",
                "{'jobs':{'settle':{'shardingStrategy':'x.y.Z'}}}             | field 'shardingStrategy' is not allowed",
                "{'jobs':{'settle':{'streaming':true}}}                       | field 'streaming' is not allowed",
                "{'jobs':{'settle':{'jobClass':'x.y.Z'}}}                     | field 'jobClass' is not allowed",
                "{'jobs':{'settle':{'shardingTotalCount':0}}}                 | shardingTotalCount",
                "{'jobs':{'settle':{'shardingTotalCount':'two'}}}             | shardingTotalCount",
                "{'jobs':{'settle':{'schedule':{'type':'cron','expression':'x'}}}} | settle",
                "{'jobs':{'settle':{'schedule':{'type':'script'}}}}           | schedule",
                "{'jobs':{'settle':{'revision':9}}}                           | revision",
                "{'jobs':{'settle':'x'}}                                      | settle",
                "{'jobs':{'settle':{}},'scripts':{}}                          | the member 'scripts'",
                "{'jobs':[]}                                                  | jobs",
                "{}                                                           | jobs is missing",
                "{'jobs':{},'connection':{'servers':'evil.example:2181'}}     | allows no servers",
                "{'jobs':{},'connection':{'servers':'x:y:z'}}                 | connection",
                "{'jobs':{},'connection':{'digest':{'user':'u','password':'hunter2'}}} | does not name a secret",
                "{'jobs':{},'connection':{'sasl':'Client'}}                   | the member 'sasl'",
                "{'jobs':{},'connection':{'chroot':',evil.example:2181'}}     | chroot",
                "{'jobs':{},'connection':{'chroot':'9'}}                      | chroot",
                "{'jobs':{},'connection':{'chroot':'/a/'}}                    | chroot",
                "{'jobs':{},'connection':{'digest':'orders:hunter2'}}         | connection.digest has another form",
                "{'jobs':{},'connection':{'digest':{'user':'u','password':['hunter2']}}} | does not name a secret",
                "{'jobs':{},'connection':{'digest':{'user':'a:b','password':'hunter2'}}} | user",
                "{'jobs':{'settle':{'schedule':{'type':'fixedRate','interval':'PT0S'}}}} | settle",
                "{'jobs':{'../x':{}}}                                         | jobs has the name",
                "{'jobs':{},'connection':{'sessionTimeout':'PT9H'}}           | sessionTimeout",
            })
    void answerWithAnythingThatIsNotAllowedOrNotValidIsRefusedAsAWhole(String contents, String expected) {
        RemoteConfiguration before = load(settings(), Duration.ZERO);
        platform.publish(8, contents.replace('\'', '"'));

        poll(before);

        assertThat(before.status().problem())
                .contains("refused: ", expected, "revision 7 is in effect")
                .doesNotContain("hunter2");
        assertThat(applied).as("never a part").isEmpty();
        assertThat(cron(before)).isEqualTo("0 0 3 * * ?");
    }

    @Test
    void answerThatTheRegistryRefusesIsRefusedAsAWhole() {
        RemoteConfiguration remote = new RemoteConfiguration(
                        settings(),
                        Map.of("settle", SETTLE, "report", REPORT),
                        new io.ostraka.remote.HttpExchange(null, Duration.ofSeconds(20)),
                        new StoppedTicker(),
                        Clock.systemUTC())
                .start();
        remote.follow((Collection<JobConfiguration> changed) -> {
            throw new io.ostraka.api.JobConfigurationException("settle", "schedule", "x", "another one");
        });
        platform.publish(8, CRON_3.replace("0 0 3", "0 0 4"));

        poll(remote);

        assertThat(remote.status().problem()).contains("schedule", "revision 7 is in effect");
        assertThat(cron(remote)).isEqualTo("0 0 3 * * ?");
    }

    @Test
    void refusalByTheRegistryDoesNotEndTheProblemOfAPlatformThatIsDown() throws Exception {
        platform.publish(7, FIXED_DELAY);
        load().close();
        platform.close();
        try (InfoLog log = new InfoLog()) {
            RemoteConfiguration remote = load(settings(), Duration.ZERO);

            hostWithOnceListener(remote);

            assertThat(remote.configuration("settle")).isEqualTo(SETTLE);
            assertThat(remote.status().problem())
                    .contains("does not answer", "revision 7 from the disk is in effect", "not accepted for {settle=");
            assertThat(log.text()).doesNotContain("answers again").contains("not accepted for {settle=");
            platform = TestPlatform.startAt(platform);
            poll(remote);
            assertThat(remote.status().problem())
                    .contains("not accepted for {settle=")
                    .doesNotContain("does not answer");
            assertThat(log.text()).contains("the platform answers again; revision 7 is in effect");
        }
    }

    @Test
    void refusalByTheRegistryIsShownUntilANewRevisionEvenIfThePlatformGoesDown() throws IOException {
        platform.publish(7, FIXED_DELAY);
        RemoteConfiguration remote = load(settings(), Duration.ZERO);
        Health health = health(remote);
        hostWithOnceListener(remote);
        assertThat(health.problem).startsWith("the settings of the platform are not accepted for {settle=");
        platform.close();

        poll(remote);

        assertThat(remote.status().problem())
                .contains("does not answer", "revision 7 is in effect", "not accepted for {settle=")
                .isEqualTo(health.problem);
        platform = TestPlatform.startAt(platform);
        platform.publish(8, CRON_3);
        poll(remote);
        assertThat(remote.status().problem()).isNull();
        assertThat(health.problem).isNull();
    }

    private void expectRefused(TestPlatform.Misbehaviour how, String expected) {
        platform.misbehave(how);

        RemoteConfiguration remote = load();

        assertThat(remote.status().problem()).contains(expected, "the application's own configuration is in effect");
        assertThat(remote.configuration("settle")).isEqualTo(SETTLE);
        assertThat(Files.exists(directory.resolve("orders@default.answer"))).isFalse();
    }

    // ---- keys, clocks and certificates

    @ParameterizedTest
    @ValueSource(ints = {-600, 600})
    void clockThatIsTenMinutesOffCostsOneMoreRequest(int seconds) {
        RemoteConfiguration remote = load(settings(), Duration.ofSeconds(seconds));

        assertThat(remote.status().problem()).isNull();
        assertThat(platform.takeStatuses()).containsExactly(401, 200);
        poll(remote);
        assertThat(platform.takeStatuses()).as("the difference is known now").containsExactly(200);
    }

    @Test
    void unsignedTimeIsNotBelieved() {
        platform.misbehave((exchange, nonce) -> platform.respond(exchange, 401, "{\"now\":\"2020-01-01T00:00:00Z\"}"));

        RemoteConfiguration remote = load();

        assertThat(remote.status().problem()).contains("(401)", "orders-1", "both clocks");
        assertThat(platform.takeStatuses()).containsExactly(401);
    }

    @Test
    void keyThatThePlatformDoesNotAcceptIsNamed() {
        String other = java.util.Base64.getEncoder()
                .encodeToString("another key of thirty-two bytes.".getBytes(StandardCharsets.UTF_8));

        RemoteConfiguration remote = load(settings().key("orders-1", TestPlatform.secret(other)));

        assertThat(remote.status().problem())
                .contains("does not accept the signature (401)", "'orders-1'")
                .doesNotContain(other);
    }

    @ParameterizedTest
    @CsvSource({
        "403, may not read the application",
        "404, does not know the application",
        "500, status 500",
        "302, redirects are not followed"
    })
    void statusOfThePlatformIsExplained(int status, String expected) {
        platform.misbehave((exchange, nonce) -> {
            exchange.getResponseHeaders().add("Location", "http://localhost:1/");
            platform.respond(exchange, status, "");
        });

        assertThat(load().status().problem()).contains(expected);
        assertThat(platform.takeStatuses()).containsExactly(status);
    }

    private SSLContext certificate(String host) throws IOException {
        return SelfSigned.create(directory.resolve(host), "CN=" + host, "dns:" + host)
                .context();
    }

    @Tag("cluster")
    @Test
    void certificateOfAnotherHostIsRefused() throws Exception {
        SSLContext other = certificate("platform.example");
        try (TestPlatform elsewhere = TestPlatform.startTls(other)) {
            elsewhere.publish(7, CRON_3);

            RemoteConfiguration remote = load(elsewhere.application().sslContext(other));

            assertThat(remote.status().problem()).contains("the platform does not answer", "localhost");
            assertThat(elsewhere.takeStatuses()).as("no request was sent").isEmpty();
        }
        SSLContext own = certificate("localhost");
        try (TestPlatform right = TestPlatform.startTls(own)) {
            right.publish(7, CRON_3);
            assertThat(load(right.application().sslContext(own)).status().problem())
                    .isNull();
            assertThat(load(right.application()).status().problem())
                    .as("the JDK does not trust it")
                    .contains("does not answer");
        }
    }

    // ---- the answer on disk

    @Test
    void answerOnDiskIsEncryptedAndForItsOwnerAlone() throws IOException {
        platform.publish(7, CRON_3.replace("\"report\":{}", "\"report\":{\"jobParameter\":\"not-public\"}"));
        load();

        Path file = directory.resolve("orders@default.answer");
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("not-public", "settle");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(file);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 20, -1})
    void answerOnDiskThatWasChangedIsNotUsed(int changed) throws IOException {
        load();
        Path file = directory.resolve("orders@default.answer");
        byte[] bytes = Files.readAllBytes(file);
        bytes[Math.floorMod(changed, bytes.length)] ^= 1;
        Files.write(file, bytes);
        platform.close();

        assertThat(load().status().source()).isEqualTo(Source.LOCAL);
    }

    @Test
    void answerOnDiskIsVerifiedAgain() {
        load();
        platform.close();

        RemoteConfiguration remote = load(RemoteConfiguration.newBuilder(platform.address(), TestPlatform.APPLICATION)
                .key("orders-1", TestPlatform.secret(TestPlatform.KEY))
                .trust(
                        "p1",
                        java.util.Base64.getEncoder()
                                .encodeToString(TestPlatform.keys().getPublic().getEncoded()))
                .directory(directory));

        assertThat(remote.status().source()).as("the key is no longer trusted").isEqualTo(Source.LOCAL);
    }

    @Test
    void answerOnDiskIsUsedUpToItsAge() {
        RemoteConfiguration first = load(settings(), Duration.ZERO);
        first.close();
        platform.close();

        assertThat(load(settings(), Duration.ofDays(6)).status().source()).isEqualTo(Source.DISK);
        assertThat(load(settings(), Duration.ofDays(8)).status().source()).isEqualTo(Source.LOCAL);
    }

    /** Guards against an answer that expires although the platform confirms it every 30 s. */
    @Test
    void confirmationProlongsTheAnswerOnDisk() {
        RemoteConfiguration long_ago = load(settings(), Duration.ofDays(-20));
        assertThat(long_ago.status().problem()).isNull();
        RemoteConfiguration today = load(settings(), Duration.ZERO);
        assertThat(today.status().source()).isEqualTo(Source.PLATFORM);
        platform.close();

        assertThat(load(settings(), Duration.ofDays(6)).status().source()).isEqualTo(Source.DISK);
    }

    @Test
    void directoryThatCannotBeWrittenStopsNothing() throws IOException {
        Path notADirectory = Files.writeString(directory.resolve("file"), "");

        RemoteConfiguration remote = load(settings().directory(notADirectory));

        assertThat(remote.status().source()).isEqualTo(Source.PLATFORM);
    }

    // ---- settings

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://platform.example",
                "ftp://platform.example",
                "https://user:hunter2@platform.example",
                "https://platform.example/?a=b",
                "https:///x",
                "platform.example"
            })
    void addressOfThePlatformIsHttpsWithoutSecrets(String address) {
        assertThatThrownBy(() -> RemoteConfiguration.newBuilder(URI.create(address), "orders"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https://HOST")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void settingsAreCheckedAtOnce() {
        RemoteBuilder builder = platform.application();

        assertThatThrownBy(() -> builder.allowFields("errorHandler")).hasMessageContaining("accepted: [");
        assertThatThrownBy(() -> builder.allowServers("zk1:2181")).hasMessageContaining("without a port");
        assertThatThrownBy(() -> builder.trust("p2", "hunter2")).hasMessageContaining("openssl");
        assertThatThrownBy(() -> builder.pollInterval(Duration.ZERO)).hasMessageContaining("PT1S to PT1H");
        assertThatThrownBy(() -> load(builder.key("k", TestPlatform.secret("dG9vIHNob3J0"))))
                .hasMessageContaining("9 bytes")
                .hasMessageNotContaining("dG9v");
        assertThatThrownBy(() -> load(builder.key("k", TestPlatform.secret("not base64!"))))
                .hasMessageContaining("not in Base64");
        assertThatThrownBy(() -> RemoteConfiguration.newBuilder(platform.address(), "../x"))
                .hasMessageContaining("application");
        assertThatThrownBy(() -> load(RemoteConfiguration.newBuilder(platform.address(), "orders")))
                .hasMessageContaining("key");
    }

    @Test
    void onlyAllowedJobsAndFieldsAreRemote() {
        RemoteConfiguration remote = load(settings().allowJobs("rep*").allowFields("paused"));
        assertThat(remote.status().problem()).contains("job 'settle' is not allowed");

        platform.publish(8, "{\"jobs\":{\"report\":{\"paused\":true}}}");
        poll(remote);

        assertThat(remote.configuration("report").paused()).isTrue();
        assertThat(remote.configuration("settle")).as("not the platform's job").isEqualTo(SETTLE);
    }

    @Test
    void memberThatOccursTwiceIsRefused() {
        expectRefused(
                (exchange, nonce) -> {
                    String payload = platform.payload(nonce).toString();
                    platform.respond(
                            exchange,
                            200,
                            platform.sign(
                                    "{\"alg\":\"EdDSA\",\"kid\":\"p1\",\"typ\":\"ostraka+jws\"}",
                                    payload.substring(0, payload.length() - 1) + ",\"jobs\":{}}"));
                },
                "the member 'jobs' occurs twice");
    }

    /** Guards against addresses that look allowed and lead ZooKeeper's client elsewhere. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example/x.zk.example:2181",
                "evil.example/.zk.example:2181",
                "zk1.zk.example:2181/a",
                "zk1.zk.example",
                "zk1.zk.example:2181,evil.example:2181",
                "evilzk.example:2181",
                "zk1.zk.example:2181, evil.example:2181",
                ".zk.example:2181",
                ""
            })
    void serversAreAllowedByTheirHostsAlone(String servers) {
        platform.publish(7, "{\"jobs\":{},\"connection\":{\"servers\":\"" + servers + "\"}}");

        RemoteConfiguration remote = load(settings().allowServers("*.zk.example"));

        assertThat(remote.status().problem()).contains("connection: servers is");
    }

    /** Guards against updates that never arrive, because ZooKeeper keeps the higher revision of the application. */
    @Test
    void revisionOfTheApplicationAboveThePlatformsIsRefused() {
        JobConfiguration own = SETTLE.toBuilder().revision(100).build();

        RemoteConfiguration remote = settings().load(List.of(own, REPORT));
        loaded.add(remote);

        assertThat(remote.status().problem()).contains("'settle' has revision 7", "100");
        assertThat(remote.configuration("settle")).isEqualTo(own);
    }

    @Test
    void connectionComesFromThePlatformIfItsHostsAreAllowed() {
        platform.publish(
                7,
                "{\"jobs\":{\"settle\":{},\"report\":{}},\"connection\":{\"servers\":\"zk1.zk.example:2181,ZK2.zk.example:2181\","
                        + "\"chroot\":\"/teams/a\",\"sessionTimeout\":\"PT20S\","
                        + "\"digest\":{\"user\":\"orders\",\"password\":\"zk\"}}}");
        RemoteBuilder settings = settings().allowServers("*.zk.example").secret("zk", TestPlatform.secret("hunter2"));
        RemoteConfiguration remote = load(settings, Duration.ZERO);

        assertThat(remote.status().problem()).isNull();
        assertThat(remote.status().restartNeeded()).isFalse();
        platform.publish(
                8, "{\"jobs\":{\"settle\":{},\"report\":{}},\"connection\":{\"servers\":\"zk3.zk.example:2181\"}}");
        poll(remote);
        assertThat(remote.status().restartNeeded()).isTrue();
    }
}
