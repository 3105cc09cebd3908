package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.TriggerDetails;
import io.ostraka.console.security.Grant;
import io.ostraka.console.security.JobLabels;
import io.ostraka.console.security.LoginAudit;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.console.security.SecuritySettings;
import io.ostraka.console.security.Sent;
import io.ostraka.console.security.Tokens;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a caller with a grant for one job sees nothing of another job, in no view and by no id. */
@ExtendWith(OstrakaExtension.class)
@ExpectedErrors({"job 'mine'", "job 'zebra'"})
class JobsOfOthersTest {
    private static final String BASE = Routes.NAMESPACES + "/orders";
    private static final CommandOptions BY = CommandOptions.by("test");
    private static final String BY_NAME = "ADMIN orders/mine";
    private static final String BY_LABEL = "ADMIN orders label:team=mine";

    /** Name of the other job. It occurs in no other text. */
    private static final String OTHER = "zebra";

    private final String token = Tokens.create();

    private SecuredApi api(TestCluster cluster, String grant) {
        for (String job : List.of("mine", OTHER)) {
            cluster.schedule(
                    context -> {
                        throw new IllegalStateException("error of " + job);
                    },
                    JobConfiguration.newBuilder(job, 2)
                            .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                            .alarms(AlarmPolicy.defaults().failuresInARow(1))
                            .labels(Map.of("team", job))
                            .jobParameter("parameter of " + job)
                            .build());
        }
        cluster.advance(Duration.ofMinutes(2));
        Operations operations = cluster.observe();
        for (String job : List.of("mine", OTHER)) {
            operations.execute(new Command.Trigger(job), BY.withRequestId("run-of-" + job));
            operations.execute(
                    new Command.Backfill(job, cluster.now().minus(Duration.ofMinutes(1)), cluster.now()),
                    BY.withRequestId("backfill-of-" + job));
            operations.execute(
                    new Command.Trigger(job, Set.of(), Map.of("for", job), Duration.ofDays(1)),
                    BY.withRequestId("later-run-of-" + job));
            operations.execute(new Command.DisableItem(job, "1"), BY.because("reason of " + job));
        }
        cluster.advance(Duration.ofMinutes(1));
        return api(operations, cluster, grant);
    }

    private SecuredApi api(Operations operations, TestCluster cluster, String grant) {
        Namespaces namespaces = new Namespaces() {
            @Override
            public List<String> names() {
                return List.of("orders");
            }

            @Override
            public Optional<Operations> operations(String namespace) {
                return namespace.equals("orders") ? Optional.of(operations) : Optional.empty();
            }
        };
        return new SecuredApi(
                new Api(namespaces, false),
                SecuritySettings.newBuilder()
                        .token("mine", Tokens.digest(token), Instant.MAX, List.of(Grant.parse(grant)))
                        .build(),
                new JobLabels(namespaces, cluster::now),
                cluster::now,
                LoginAudit.log(),
                password -> {});
    }

    private Response send(SecuredApi api, Sent sent) {
        return api.handle(sent.bearer(token).request());
    }

    /** Views that a caller of one job can read, with parameters that name or find the other job. */
    private static Stream<String> views(TestCluster cluster) {
        String after = Base64.getUrlEncoder().encodeToString("/".getBytes(StandardCharsets.UTF_8));
        return Stream.of(
                "",
                "/jobs",
                "/jobs?search=" + OTHER,
                "/jobs?search=z&sort=problems",
                "/jobs?limit=1",
                "/jobs?after=" + after,
                "/jobs?problems=true",
                "/activity",
                "/activity?job=" + OTHER,
                "/activity?job=mine&job=" + OTHER,
                "/backfills",
                "/alarms",
                "/alarms?firing=true",
                "/instances",
                "/problems",
                "/problems?job=mine&job=" + OTHER,
                "/forecast?slots=10&from=" + cluster.now(),
                "/jobs/mine",
                "/jobs/mine/items",
                "/jobs/mine/items?item=0",
                "/jobs/mine/items/0/explanation",
                "/jobs/mine/next-fires",
                "/jobs/mine/runs/run-of-mine");
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_NAME, BY_LABEL})
    void noViewContainsTheOtherJob(String grant, @Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster, grant);
        Operations operations = cluster.observe();
        assertThat(operations.alarms()).extracting(AlarmDetails::job).contains("mine", OTHER);
        assertThat(operations.backfills()).extracting(BackfillDetails::job).contains("mine", OTHER);
        assertThat(operations.instances().get(0).jobs()).contains("mine", OTHER);
        assertThat(operations
                        .forecast(cluster.now(), Duration.ofMinutes(15), 1)
                        .slots()
                        .get(0)
                        .fires())
                .containsKeys("mine", OTHER);

        views(cluster).forEach(view -> {
            Response response = send(api, Sent.get(BASE + view));

            assertThat(response.status()).as(view + response.text()).isEqualTo(200);
            assertThat(response.text()).as(view).doesNotContain(OTHER);
        });
        for (String view : List.of("/jobs", "/activity?job=mine", "/backfills", "/alarms", "/problems", "/instances")) {
            assertThat(send(api, Sent.get(BASE + view)).text()).as(view).contains("\"mine\"");
        }
        assertThat(send(api, Sent.get(BASE + "/jobs")).text()).contains("\"total\":1");
    }

    @Test
    void problemsOfManyOtherJobsHideNoneOfTheCaller(@Instances(1) TestCluster cluster) {
        for (int i = 0; i < 60; i++) {
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("early-" + i, 1)
                            .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                            .paused(true)
                            .build());
        }
        SecuredApi api = api(cluster, BY_NAME);
        assertThat(cluster.observe().problems())
                .as("the list for all jobs")
                .extracting(io.ostraka.api.operations.Problem::job)
                .contains("early-0")
                .doesNotContain("mine");

        assertThat(send(api, Sent.get(BASE + "/problems")).text())
                .contains("\"mine\"")
                .doesNotContain("early-", "MORE_JOBS");
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_NAME, BY_LABEL})
    void noRouteOfTheOtherJobAnswers(String grant, @Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster, grant);
        for (Route route : new Routes().all()) {
            if (route.segments().contains("{job}")) {
                String path = BASE
                        + route.path()
                                .replace("{job}", OTHER)
                                .replace("{item}", "0")
                                .replace("{runId}", "run-of-" + OTHER);
                Response response = send(
                        api,
                        route.method().equals("GET")
                                ? Sent.get(path)
                                : Sent.post(path, ApiTest.bodies().get(route.operation())));

                assertThat(response.status()).as(path).isEqualTo(403);
                assertThat(response.text()).as(path).doesNotContain("error of", "reason of");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_NAME, BY_LABEL})
    void idOfTheOtherJobFindsNothing(String grant, @Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster, grant);
        Operations operations = cluster.observe();
        for (String id : List.of("run-of-" + OTHER, "later-run-of-" + OTHER, "backfill-of-" + OTHER)) {
            Response run = send(api, Sent.get(BASE + "/jobs/mine/runs/" + id));
            assertThat(run.status()).as(id).isEqualTo(404);
            for (String verb : List.of("cancel-trigger", "stop-fire", "rerun-items")) {
                Response response = send(api, Sent.post(BASE + "/jobs/mine/" + verb, "{\"runId\":\"" + id + "\"}"));
                assertThat(response.status())
                        .as(verb + " " + id + response.text())
                        .isBetween(400, 499);
            }
        }

        assertThat(operations.job(OTHER).triggers())
                .extracting(TriggerDetails::runId)
                .contains("later-run-of-" + OTHER);
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_NAME, BY_LABEL})
    void bodyCannotNameTheOtherJob(String grant, @Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster, grant);

        assertThat(send(api, Sent.post(BASE + "/jobs/mine/pause", "{\"job\":\"" + OTHER + "\"}"))
                        .status())
                .isEqualTo(422);
        for (String path : List.of("/jobs/mine%2f..%2f" + OTHER + "/pause", "/jobs/mine/../" + OTHER + "/pause")) {
            assertThat(send(api, Sent.post(BASE + path, "{}")).status())
                    .as(path)
                    .isBetween(400, 404);
        }
        assertThat(cluster.observe().job(OTHER).summary().stateText()).isEmpty();
    }

    @Test
    void problemOfAnInstanceMayNameEveryJob(@Instances(1) TestCluster cluster) {
        Operations real = cluster.observe();
        InstanceDetails healthy = real.instances().get(0);
        InstanceDetails ill = new InstanceDetails(
                healthy.instance(),
                healthy.pid(),
                healthy.state(),
                healthy.leading(),
                healthy.clockAhead(),
                healthy.jobs(),
                healthy.items(),
                "the history of job '" + OTHER + "' is lost",
                null);
        Operations operations = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Operations.class},
                (proxy, method, arguments) -> List.of(healthy, ill));

        assertThat(send(api(operations, cluster, BY_NAME), Sent.get(BASE + "/instances"))
                        .text())
                .containsOnlyOnce("a role for all jobs shows it")
                .doesNotContain(OTHER);
        assertThat(send(api(operations, cluster, "VIEWER orders"), Sent.get(BASE + "/instances"))
                        .text())
                .contains(OTHER);
    }

    @ParameterizedTest
    @ValueSource(strings = {BY_NAME, BY_LABEL})
    void instanceThatIsGoneIsAProblemWithoutOtherJobs(String grant, @Instances(2) TestCluster cluster) {
        SecuredApi api = api(cluster, grant);
        TestCluster.Instance other = cluster.instances().stream()
                .filter(each -> !each.id().equals(cluster.leader().id()))
                .findFirst()
                .orElseThrow();
        assertThat(cluster.observe().job("mine").summary().owners()).containsKey(other.id());
        cluster.leader().setWedged(true); // nothing moves the items away
        other.kill();
        cluster.advance(TestCluster.SESSION_TIMEOUT.plusSeconds(5));

        Response problems = send(api, Sent.get(BASE + "/problems"));

        assertThat(problems.text())
                .contains("INSTANCE_GONE", other.id(), "items of mine")
                .doesNotContain(OTHER);
    }

    @Test
    void documentOfAllSettingsNeedsAGrantForAllJobs(@Instances(1) TestCluster cluster) {
        SecuredApi api = api(cluster, BY_NAME);

        assertThat(send(api, Sent.get(BASE + "/settings")).status()).isEqualTo(403);
        assertThat(send(api, Sent.post(BASE + "/settings/diff", "{}")).status()).isEqualTo(403);
        assertThat(send(api, Sent.post(BASE + "/apply", ApiTest.bodies().get(Operation.APPLY)))
                        .status())
                .isEqualTo(403);
    }
}
