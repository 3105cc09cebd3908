package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.remote.RemoteConfiguration;
import io.ostraka.spring.EffectiveConfiguration.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A platform on a real HTTP server configures the jobs of an application. */
@Tag("spring")
class PlatformTest {
    private static final String SCHEDULE = "schedule";
    private static final String AT_3 =
            "'jobs':{'settle':{'schedule':{'type':'cron','expression':'0 0 3 * * ?','zone':'UTC'}},'report':{}}";
    private static final String OWN_CRON = "ostraka.jobs.settle.cron=0 0 2 * * ?";

    @TempDir
    Path directory;

    private PlatformServer platform;

    @JobDefinition(name = "settle", shardingTotalCount = 2, cron = "0 0 1 * * ?", jobParameter = "own")
    static class Settle implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    @JobDefinition(name = "report", shardingTotalCount = 1)
    static class Report implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {}
    }

    @BeforeEach
    void startPlatform() throws IOException {
        platform = PlatformServer.start();
        platform.publish(7, AT_3);
    }

    @AfterEach
    void stopPlatform() {
        platform.close();
    }

    private ApplicationContextRunner application(String... more) {
        return Applications.connected()
                .withBean(Settle.class)
                .withBean(Report.class)
                .withPropertyValues(platform.properties(more));
    }

    private static Map<String, EffectiveConfiguration> configurations(ApplicationContext context) {
        return context.getBean(OstrakaLifecycle.class).configurations();
    }

    private static Map<String, Object> health(ApplicationContext context) {
        return InstanceHealth.of(context.getBean(OstrakaLifecycle.class)).details();
    }

    private static Map<?, ?> remote(ApplicationContext context) {
        return (Map<?, ?>) health(context).get("remote");
    }

    /** Returns a setting as the endpoint shows it, from the definition in ZooKeeper. */
    private static String setting(ApplicationContext context, String job, String field) {
        Object body = new OstrakaEndpoint(
                        context.getBean(OstrakaLifecycle.class), context.getBean(Operations.class), false)
                .job(job)
                .getBody();
        return body instanceof OstrakaEndpoint.JobView view
                ? view.settings().get(field).value() + " from "
                        + view.settings().get(field).source()
                : String.valueOf(body);
    }

    /** Waits until a text contains all expected texts. Ends with the test's time limit. */
    private static void await(Supplier<String> text, String... expected) {
        String last = "";
        try {
            while (!Stream.of(expected).allMatch(last::contains)) {
                last = text.get();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("expected " + String.join(", ", expected) + ", but it is " + last, e);
        }
    }

    @Test
    void laterRevisionAppliesWithoutARestart() {
        application(OWN_CRON, "ostraka.jobs.settle.timeout=10m").run(context -> {
            await(
                    () -> setting(context, "settle", SCHEDULE),
                    "0 0 3 * * ?",
                    "from PLATFORM " + platform.address() + ", revision 7");
            assertThat(setting(context, "settle", "timeout")).contains("from PROPERTY ostraka.jobs.settle.timeout");
            assertThat(setting(context, "settle", "jobParameter")).contains("own from ANNOTATION");

            platform.publish(8, AT_3.replace("0 0 3", "0 0 4"));
            await(() -> setting(context, "settle", SCHEDULE), "0 0 4 * * ?", "revision 8");

            EffectiveConfiguration settle = configurations(context).get("settle");
            assertThat(settle.configuration().schedule().toString()).contains("0 0 4 * * ?");
            assertThat(settle.sources().get(SCHEDULE).kind()).isEqualTo(Kind.PLATFORM);
            assertThat(remote(context))
                    .hasToString("{source=PLATFORM, revision=8, confirmedAt="
                            + remote(context).get("confirmedAt")
                            + ", absentJobs=[], unknownJobs=[], restartNeeded=false}");
        });
    }

    @Test
    void jobThatThePlatformNoLongerDefinesIsPausedWithTheReason() {
        application().run(context -> {
            platform.publish(8, "'jobs':{'settle':{},'elsewhere':{}}");
            await(
                    () -> String.valueOf(health(context).get("jobs")),
                    "report=",
                    "revision 8 of the platform does not define the job");
            assertThat(remote(context).get("absentJobs")).hasToString("[report]");
            assertThat(remote(context).get("unknownJobs")).hasToString("[elsewhere]");

            platform.publish(9, AT_3);
            await(() -> setting(context, "report", "paused"), "false");
        });
    }

    @Test
    void overrideOfAnOperatorTakesPrecedence() {
        application().run(context -> {
            await(() -> setting(context, "settle", SCHEDULE), "0 0 3 * * ?");
            context.getBean(Operations.class)
                    .execute(new Command.SetOverride("settle", "jobParameter", "by hand"), CommandOptions.by("ada"));

            platform.publish(
                    8,
                    AT_3.replace("'settle':{", "'settle':{'jobParameter':'remote',")
                            .replace(" 3 ", " 4 "));
            await(() -> setting(context, "settle", SCHEDULE), "0 0 4 * * ?");

            assertThat(setting(context, "settle", "jobParameter")).contains("by hand from OVERRIDE", "ada");
        });
    }

    @Test
    void platformThatIsDownAtTheStartConfiguresTheJobsLater() {
        platform.close();
        application(OWN_CRON).run(context -> {
            await(() -> setting(context, "settle", SCHEDULE), "0 0 2 * * ?", "from PROPERTY");
            assertThat(remote(context).get("source")).isEqualTo("LOCAL");
            assertThat(remote(context).get("problem"))
                    .asString()
                    .contains(platform.address(), "does not answer", "the application's own configuration");
            assertThat(String.valueOf(health(context).get("problem"))).contains("does not answer");

            platform = PlatformServer.start(platform.port());
            platform.publish(7, AT_3);
            await(() -> setting(context, "settle", SCHEDULE), "0 0 3 * * ?", "from PLATFORM");
            await(() -> remote(context).toString(), "source=PLATFORM");
            assertThat(remote(context).containsKey("problem")).isFalse();
        });
    }

    @Test
    void applicationStartsWithTheAnswerOnDisk() {
        ApplicationContextRunner application = application(OWN_CRON, "ostraka.remote.cache.directory=" + directory);
        application.run(context -> assertThat(context).hasNotFailed());
        platform.close();

        application.run(context -> {
            await(() -> setting(context, "settle", SCHEDULE), "0 0 3 * * ?", "from PLATFORM", "revision 7");
            assertThat(remote(context).get("source")).isEqualTo("DISK");
            assertThat(remote(context).get("problem")).asString().contains("from the disk");
        });
    }

    @Test
    void connectionSettingsOfThePlatformTakePrecedenceOverProperties() {
        String nowhere = "ostraka.zookeeper.connect-string=127.0.0.1:1";
        platform.publish(7, AT_3 + ",'connection':{'servers':'" + Applications.servers() + "','chroot':'/platform'}");

        application(
                        nowhere,
                        "ostraka.zookeeper.chroot=/own",
                        "ostraka.namespace=by-platform",
                        "ostraka.remote.allow.servers=127.0.0.1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    try (ZooKeeperOperations observer =
                            ZooKeeperOperations.connect(Applications.servers() + "/platform", "by-platform")) {
                        assertThat(observer.operations().instances()).hasSize(1);
                    }
                    platform.publish(8, AT_3 + ",'connection':{'servers':'127.0.0.1:1'}");
                    await(() -> remote(context).toString(), "revision=8", "restartNeeded=true");
                });
    }

    @Test
    void connectionDetailsTakePrecedenceOverThePlatform() {
        platform.publish(7, AT_3 + ",'connection':{'servers':'127.0.0.1:1'}");

        application("ostraka.remote.allow.servers=127.0.0.1")
                .withBean(OstrakaConnectionDetails.class, () -> Applications::servers)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(health(context).get("connected")).isEqualTo(true);
                    platform.publish(8, "'jobs':{'settle':{'errorHandler':'LOG'}}");
                    // the instance reports problems of the platform although it does not use its connection settings
                    await(() -> String.valueOf(health(context).get("problem")), "'errorHandler' is not allowed");
                });
    }

    @Test
    void withoutAnAddressNoPlatformIsAsked() {
        application("ostraka.remote.url=", OWN_CRON).run(context -> {
            assertThat(configurations(context)
                            .get("settle")
                            .sources()
                            .get(SCHEDULE)
                            .kind())
                    .isEqualTo(Kind.PROPERTY);
            assertThat(health(context)).doesNotContainKey("remote");
        });
    }

    @Test
    void addressWithoutTheModuleIsRefused() {
        assertThat(refused(application().withClassLoader(new FilteredClassLoader(RemoteConfiguration.class))))
                .startsWith("property ostraka.remote.url (")
                .contains("io.ostraka:ostraka-job-remote");
    }

    @Test
    void certificatesComeFromAnSslBundle() throws Exception {
        SelfSigned certificate = SelfSigned.create(directory.resolve("keys.p12"), "CN=localhost", "dns:localhost");
        String store = "ostraka.remote.ssl-bundle=platform";
        String[] bundle = {
            "spring.ssl.bundle.jks.platform.truststore.location=file:" + certificate.trust(),
            "spring.ssl.bundle.jks.platform.truststore.password=" + SelfSigned.PASSWORD,
            "spring.ssl.bundle.jks.broken.truststore.location=file:" + certificate.trust() + "-none"
        };
        try (PlatformServer secure = PlatformServer.startTls(certificate.context())) {
            secure.publish(7, AT_3);
            ApplicationContextRunner application = Applications.connected()
                    .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                    .withBean(Settle.class)
                    .withPropertyValues(secure.properties(bundle));

            application
                    .withPropertyValues(store)
                    .run(context -> assertThat(remote(context).get("source")).isEqualTo("PLATFORM"));
            application.run(context -> assertThat(remote(context).get("source")).isEqualTo("LOCAL"));
            assertThat(refused(application.withPropertyValues("ostraka.remote.ssl-bundle=platfrom")))
                    .startsWith("property ostraka.remote.ssl-bundle (")
                    .contains("'platfrom' names no SSL bundle", "its bundles: ")
                    .contains("platform");
            assertThat(refused(application.withPropertyValues("ostraka.remote.ssl-bundle=broken")))
                    .startsWith("property ostraka.remote.ssl-bundle (")
                    .contains("'broken' cannot be used");
        }
    }

    private static String refused(ApplicationContextRunner application) {
        List<String> text = new ArrayList<>();
        application.run(context -> text.add(Applications.analysis(context).getDescription()));
        return text.get(0);
    }
}
