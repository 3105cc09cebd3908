package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.time.Stages;
import io.ostraka.fixtures.InfoLog;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that every change is logged exactly once: the log neither repeats a change nor leaves one out. */
@ExtendWith(OstrakaExtension.class)
class LogTest {
    private static final String HEALTH = "io.ostraka.core.instance.HealthReports";
    private static final String IN_FORCE = "io.ostraka.core.job.ConfigurationLog";
    private static final String JOBS = "io.ostraka.core.tree.TreeJobs";
    private static final String MEMBERSHIP = "io.ostraka.core.tree.TreeMembership";
    private static final String ATTENDANCE = "io.ostraka.core.leader.MembershipLog";
    private static final String WATCHDOG = "io.ostraka.core.instance.Watchdog";
    private static final String CLAIMS = "io.ostraka.core.job.Claims";
    private static final String DEFINITIONS = "io.ostraka.core.instance.DefinitionRegistrar";
    /** Long enough for a wrongly repeated line to appear. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static JobConfiguration.Builder job(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(1)));
    }

    @Test
    void everyChangeOfHealthIsLoggedOnce(@Instances(0) TestCluster cluster) throws Exception {
        try (InfoLog log = new InfoLog(HEALTH)) {
            TestCluster.Instance instance = cluster.join();
            cluster.schedule(context -> {}, job("logged", 2).build());
            cluster.advance(LONG);
            assertThat(log.lines("connected to ZooKeeper as " + instance.id())).hasSize(1);
            assertThat(log.lines("this instance leads")).hasSize(1);

            cluster.amend("logged", override -> override.withPaused(true));
            cluster.advance(LONG);
            assertThat(log.lines("job 'logged' is stopped here: paused by an operator"))
                    .hasSize(1);
            assertThat(log.lines("runs as configured")).isEmpty();

            cluster.amend("logged", override -> override.withPaused(false));
            cluster.advance(LONG);
            assertThat(log.lines("job 'logged' runs as configured")).hasSize(1);
            assertThat(log.lines("no connection to ZooKeeper")).isEmpty();

            instance.store().suspend();
            cluster.advance(LONG);
            assertThat(log.lines(
                            "no connection to ZooKeeper; running items continue, and no new item of 1 jobs starts"))
                    .hasSize(1);
            assertThat(log.lines("connected to ZooKeeper as")).hasSize(1);

            instance.store().reconnect();
            cluster.advance(LONG);
            assertThat(log.lines("connected to ZooKeeper as")).hasSize(2);
            assertThat(log.lines("job 'logged'"))
                    .as("no line for each job about the lost connection")
                    .hasSize(2);
        }
    }

    @Test
    void instanceWithoutJobsSaysOnceThatItMayLead(@Instances(0) TestCluster cluster) throws Exception {
        try (InfoLog log = new InfoLog(WATCHDOG)) {
            cluster.join();
            cluster.advance(LONG);
            assertThat(log.lines("this instance has no jobs, so it gets no items, but it may become the leader"))
                    .hasSize(1);

            TestCluster.Instance second = cluster.join();
            cluster.schedule(context -> {}, job("settle", 2).build());
            second.expireSession();
            cluster.advance(LONG);
            assertThat(log.lines("this instance has no jobs")).hasSize(1);
        }
    }

    /** Guards against a start line that shows a schedule which an operator overrode long before. */
    @Test
    void startLineShowsTheConfigurationInForce(@Instances(0) TestCluster cluster) throws Exception {
        try (InfoLog log = new InfoLog(IN_FORCE)) {
            cluster.join();
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder("settle", 3)
                            .schedule(Schedule.cron("0/3 * * * * ?"))
                            .build());
            cluster.advance(LONG);
            assertThat(log.lines("job 'settle'")).hasSize(1);
            assertThat(log.lines("job 'settle' is hosted here, with 3 items, schedule cron '0/3 * * * * ?' in UTC"))
                    .hasSize(1)
                    .noneMatch(line -> line.contains("overrides"));

            cluster.amend("settle", override -> override.withSchedule(Schedule.cron("0/7 * * * * ?")));
            cluster.amend("settle", override -> override.withJobParameter("a secret"));
            cluster.advance(LONG);
            assertThat(log.lines("job 'settle': an operator has changed schedule cron '0/3 * * * * ?' in UTC to cron"
                            + " '0/7 * * * * ?' in UTC; overridden: schedule (deployed: cron '0/3 * * * * ?' in UTC)"))
                    .hasSize(1);
            assertThat(log.lines("job 'settle'")).hasSize(3);

            cluster.join();
            cluster.advance(LONG);
            assertThat(log.lines("job 'settle' is hosted here, with 3 items, schedule cron '0/7 * * * * ?' in UTC; an"
                            + " operator overrides schedule (deployed: cron '0/3 * * * * ?' in UTC), jobParameter"))
                    .hasSize(1);
            assertThat(log.lines("job 'settle'")).hasSize(4).noneMatch(line -> line.contains("a secret"));

            cluster.amend("settle", override -> override.withSchedule(null).withJobParameter(null));
            cluster.advance(LONG);
            assertThat(log.lines("overridden: nothing")).as("by both instances").hasSize(2);
        }
    }

    /** Guards against ten jobs that each log a recovery that one line has already reported. */
    @Test
    void jobsDuringTheirRegistrationAreNotLogged(@Instances(0) TestCluster cluster) throws Exception {
        try (InfoLog log = new InfoLog(HEALTH)) {
            TestCluster.Instance instance = cluster.join();
            cluster.advance(LONG);
            instance.store().holdReplies(); // the replies to the definitions
            for (int i = 0; i < 10; i++) {
                instance.engine()
                        .register((SimpleJob) context -> {}, job("job-" + i, 2).build());
            }
            cluster.advance(Duration.ofSeconds(5));
            assertThat(instance.engine().health().jobs().get("job-0").reason(JobHealth.Kind.NOT_REGISTERED))
                    .isPresent();
            instance.store().releaseReplies();
            cluster.advance(LONG);
            assertThat(log.lines("connected to ZooKeeper")).hasSize(1);
            assertThat(log.lines("not registered")).isEmpty();
            assertThat(log.lines("runs as configured")).isEmpty();
        }
    }

    @Test
    void replacementOfADamagedDefinitionIsLogged(@Instances(1) TestCluster cluster) throws Exception {
        ZkCli zkCli = new ZkCli(cluster);
        zkCli.write("/jobs/settle", "");
        zkCli.write("/jobs/settle/failover", "");
        zkCli.write("/jobs/settle/fires", "");
        zkCli.write("/jobs/settle/config", "{\"format\":4,");
        try (InfoLog log = new InfoLog(JOBS)) {
            cluster.schedule(context -> {}, job("settle", 3).build());
            cluster.advance(LONG);
            assertThat(log.lines("/jobs/settle/config"))
                    .hasSize(1)
                    .allMatch(line -> line.contains("malformed JSON at line")
                            && line.contains("line 1 column")
                            && line.contains("replaces it with its own definition")
                            && !line.contains("etStrictness"));
        }
    }

    @Test
    void foreignNodesOfTheNamespaceAreLoggedOnce(@Instances(1) TestCluster cluster) throws Exception {
        cluster.schedule(context -> {}, job("settle", 3).build());
        try (InfoLog log = new InfoLog(MEMBERSHIP)) {
            TestCluster.Instance second = cluster.join();
            cluster.advance(LONG);
            second.expireSession();
            cluster.advance(LONG);
            assertThat(log.lines("joined a namespace in use; other instances: 1, jobs: 1 (settle)"))
                    .hasSize(1);
            assertThat(log.lines("doesn't make")).isEmpty();

            new ZkCli(cluster).write("/brokers", "");
            cluster.join();
            cluster.advance(LONG);
            assertThat(log.lines("nodes that this library does not create: brokers"))
                    .hasSize(1);
        }
    }

    /** Guards against survivors whose logs do not mention a dead instance. */
    @Tag("slow")
    @Test
    void deathAndTakeoverOfManyItemsAreOneLineEach(@Instances(3) TestCluster cluster) throws Exception {
        TestCluster.Instance victim = cluster.instances().stream()
                .filter(instance -> !instance.engine().leading())
                .findFirst()
                .orElseThrow();
        String id = victim.id();
        cluster.schedule(
                context -> {
                    if (context.instanceId().equals(id) && victim.alive()) {
                        victim.kill();
                    }
                },
                job("settle", 90).build());
        try (InfoLog log = new InfoLog(ATTENDANCE, CLAIMS)) {
            cluster.advance(LONG);
            assertThat(log.lines("job 'settle': took over"))
                    .as("one line of each survivor")
                    .hasSize(2)
                    .allMatch(line ->
                            line.contains("took over 15 items from " + id + ", whose session ended while they ran: ")
                                    && line.endsWith(" and 5 more"));
            assertThat(log.lines("instances"))
                    .hasSize(1)
                    .allMatch(line -> line.endsWith("2 instances; lost, session ended: " + id));

            TestCluster.Instance third = cluster.join();
            cluster.advance(LONG);
            String before = third.id();
            third.expireSession();
            cluster.advance(LONG);
            String after = third.id();
            third.close();
            cluster.advance(LONG);
            assertThat(log.lines("3 instances; joined: " + before)).hasSize(1);
            assertThat(log.lines("2 instances; lost, session ended: " + before)).hasSize(1);
            assertThat(log.lines("3 instances; joined: " + after + " (before: " + before + ")"))
                    .hasSize(1);
            // an instance without running items may delete its node before the leader reads its DRAINING state
            assertThat(log.lines("2 instances; "))
                    .filteredOn(
                            line -> line.endsWith("shut down: " + after) || line.endsWith("session ended: " + after))
                    .hasSize(1);
            assertThat(log.lines("instances")).hasSize(5);
        }
    }

    @Test
    void newLeaderLogsTheDeathOfThePreviousOne(@Instances(3) TestCluster cluster) throws Exception {
        cluster.schedule(context -> {}, job("settle", 6).build());
        cluster.schedule(context -> {}, job("report", 6).build());
        cluster.advance(LONG);
        String leader = cluster.leader().id();
        try (InfoLog log = new InfoLog(ATTENDANCE, HEALTH)) {
            cluster.leader().kill();
            cluster.advance(LONG);
            assertThat(log.lines("this instance leads")).hasSize(1);
            assertThat(log.lines("instances"))
                    .hasSize(1)
                    .allMatch(line -> line.endsWith("2 instances; absent, the former leader: " + leader));
        }
    }

    /** Plans do not mention the former leader, because it owned no items. */
    @Test
    void newLeaderLogsTheDeathOfOneWithoutItems(@Instances(3) TestCluster cluster) throws Exception {
        cluster.schedule(context -> {}, job("settle", 6).build());
        String leader = cluster.leader().id();
        cluster.instances()
                .get(0)
                .commands()
                .execute(new Command.DisableInstance("settle", leader), CommandOptions.by("test"));
        cluster.advance(LONG);
        try (InfoLog log = new InfoLog(ATTENDANCE)) {
            cluster.leader().kill();
            cluster.advance(LONG);
            assertThat(log.lines("instances"))
                    .hasSize(1)
                    .allMatch(line -> line.endsWith("2 instances; absent, the former leader: " + leader));
        }
    }

    /** Guards against two services that use the same job name and replace each other's definition unnoticed. */
    @Test
    void replacedDefinitionOfTheSameRevisionIsLogged(@Instances(2) TestCluster cluster) throws Exception {
        JobConfiguration one = job("shared", 2).build();
        JobConfiguration other = job("shared", 3).build();
        try (InfoLog definitions = new InfoLog(DEFINITIONS);
                InfoLog log = new InfoLog(IN_FORCE)) {
            cluster.instances().get(0).engine().register((SimpleJob) context -> {}, one);
            cluster.advance(LONG);
            assertThat(log.lines("replaces")).isEmpty();

            cluster.instances().get(1).engine().register((SimpleJob) context -> {}, other);
            cluster.advance(LONG);
            assertThat(log.lines(
                            "job 'shared': this instance's definition replaces another one, with 2 items to 3 items"))
                    .hasSize(1);
            assertThat(log.lines("replaces")).hasSize(1);
            assertThat(log.lines("job 'shared' runs by another instance's definition"))
                    .as("line of the instance whose definition was replaced")
                    .singleElement()
                    .asString()
                    .contains("WARN", "registered later", "the change: 2 items to 3 items");
        }
    }

    /** An old library must not make every request fail in silence. */
    @Test
    void errorOfLinkageIsLoggedOnceHoweverOftenTheRequestIsRepeated() throws Exception {
        try (InfoLog log = new InfoLog("io.ostraka.core.time.Stages")) {
            for (int i = 0; i < 3; i++) {
                Stages.of(() -> {
                    throw new NoSuchMethodError("com.example.Old.missing()");
                });
                Stages.of(() -> CompletableFuture.supplyAsync(
                        () -> {
                            throw new NoClassDefFoundError("com/example/Missing");
                        },
                        Runnable::run));
            }
            assertThat(log.lines("a library on the class path does not fit this version of Ostraka"))
                    .hasSize(2)
                    .allMatch(line -> line.contains("ERROR"));
        }
    }
}
