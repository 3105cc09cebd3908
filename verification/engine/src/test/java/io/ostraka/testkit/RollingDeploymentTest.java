package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.model.JobOverride;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that deployments and operators do not overwrite each other, regardless of the order in which two versions of an
 * application start.
 */
@ExtendWith(OstrakaExtension.class)
class RollingDeploymentTest {
    /** An override for more items than the job has. */
    private static final String UNFIT =
            "{\"format\":4,\"removed\":false,\"disabledItems\":[],\"shardingItemParameters\":{\"5\":\"x\"}}";

    private final List<ShardingContext> runs = new ArrayList<>();
    private final SimpleJob job = runs::add;
    private TestCluster cluster;
    private ZkCli zkCli;

    @BeforeEach
    void useCluster(@Instances(2) TestCluster injected) {
        cluster = injected;
        zkCli = new ZkCli(injected);
    }

    private static JobConfiguration version(long revision, String parameter) {
        return JobConfiguration.newBuilder("deployed", 2)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                .jobParameter(parameter)
                .revision(revision)
                .build();
    }

    private void register(int instance, JobConfiguration configuration) {
        cluster.instances().get(instance).engine().register(job, configuration);
        cluster.advance(Duration.ofMinutes(3));
    }

    private String parameterNow() {
        runs.clear();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(runs).hasSize(2);
        assertThat(runs.stream().map(ShardingContext::jobParameter).distinct()).hasSize(1);
        return runs.get(0).jobParameter();
    }

    /** Guards against an old pod that restarts during a deployment and restores the old configuration. */
    @Test
    void lowerRevisionNeverReplacesAHigherOne() {
        register(0, version(1, "old"));
        assertThat(parameterNow()).isEqualTo("old");
        register(1, version(2, "new"));
        assertThat(parameterNow()).isEqualTo("new");

        cluster.instances().get(0).engine().unregister("deployed");
        register(0, version(1, "old"));
        assertThat(parameterNow()).isEqualTo("new");
        cluster.instances().get(1).close();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(parameterNow()).isEqualTo("new");
    }

    @Test
    void lastRegisteredOfEqualRevisionsWins() {
        register(0, version(1, "first"));
        register(1, version(1, "second"));
        assertThat(parameterNow()).isEqualTo("second");
    }

    /**
     * Guards against a stray process, started from a branch, that changes the jobs permanently to the branch's
     * configuration.
     */
    @Test
    void definitionOfAStrayProcessEndsWithIt() {
        register(0, version(0, "deployed"));
        register(1, version(0, "deployed"));
        TestCluster.Instance stray = cluster.join();
        stray.engine().register(job, version(0, "stray"));
        cluster.advance(Duration.ofMinutes(3));

        assertThat(parameterNow()).isEqualTo("stray");
        for (int i = 0; i < 2; i++) {
            assertThat(replaced(i).orElseThrow().text()).contains("registered later, by instance " + stray.id());
        }
        assertThat(replaced(2)).isEmpty();
        stray.expireSession();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(parameterNow())
                .as("the process lives on under another session")
                .isEqualTo("stray");

        stray.kill();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(parameterNow()).isEqualTo("deployed");
        assertThat(replaced(0)).isEmpty();
        assertThat(replaced(1)).isEmpty();
        int version = zkCli.version("/jobs/deployed/config");
        cluster.advance(Duration.ofMinutes(30));
        assertThat(zkCli.version("/jobs/deployed/config"))
                .as("version of the definition, unchanged as all agree")
                .isEqualTo(version);
    }

    @Test
    void rolloutAndRollbackWorkWithoutRevisions() {
        register(0, version(0, "old"));
        register(1, version(0, "old"));
        roll("new");
        assertThat(parameterNow()).isEqualTo("new");
        roll("old");
        assertThat(parameterNow()).isEqualTo("old");
        assertThat(replaced(0)).isEmpty();
        assertThat(replaced(1)).isEmpty();
    }

    /** Restarts both instances in turn; in between, the first one restarts once in the old version. */
    private void roll(String parameter) {
        String before = parameterNow();
        for (String each : List.of(parameter, before, parameter)) {
            cluster.instances().get(0).engine().unregister("deployed");
            register(0, version(0, each));
        }
        cluster.instances().get(1).engine().unregister("deployed");
        register(1, version(0, parameter));
    }

    @Test
    void concurrentDefinitionsDoNotReplaceEachOther() {
        register(0, version(0, "one"));
        register(1, version(0, "other"));
        int version = zkCli.version("/jobs/deployed/config");
        cluster.advance(Duration.ofHours(1));

        assertThat(zkCli.version("/jobs/deployed/config")).isEqualTo(version);
        assertThat(parameterNow()).isEqualTo("other");
        assertThat(replaced(0)).isPresent();
    }

    private Optional<JobHealth.Reason> replaced(int instance) {
        return cluster.instances()
                .get(instance)
                .engine()
                .health()
                .jobs()
                .get("deployed")
                .reason(Kind.DEFINITION_REPLACED);
    }

    @Test
    void overrideSurvivesDeploymentsUntilItIsRevoked() {
        register(0, version(1, "old"));
        cluster.amend("deployed", override -> override.withJobParameter("operator's"));
        assertThat(parameterNow()).isEqualTo("operator's");
        register(1, version(2, "new"));
        assertThat(parameterNow()).isEqualTo("operator's");
        cluster.amend("deployed", override -> override.withJobParameter(null));
        assertThat(parameterNow()).isEqualTo("new");
    }

    @Test
    void deletedDefinitionReturnsInTheHighestRunningRevision() {
        register(0, version(1, "old"));
        register(1, version(2, "new"));
        zkCli.delete("/jobs/deployed/config");
        cluster.advance(Duration.ofMinutes(4));
        assertThat(parameterNow()).isEqualTo("new");
        assertThat(zkCli.text("/jobs/deployed/config")).contains("\"revision\":2");
    }

    @Test
    void invalidOverrideKeepsTheLastGoodConfiguration() {
        register(0, version(1, "good"));
        register(1, version(1, "good"));
        zkCli.write(
                "/jobs/deployed/override",
                override("{\"type\":\"cron\",\"expression\":\"now and then\",\"zone\":\"UTC\"}"));
        cluster.advance(Duration.ofMinutes(2));

        assertThat(parameterNow()).isEqualTo("good");
        cluster.instances().forEach(instance -> {
            var health = instance.engine().health().jobs().get("deployed");
            assertThat(health.status()).isEqualTo(Status.LIMITED);
            assertThat(health.reason(Kind.CONFIGURATION_REFUSED)).hasValueSatisfying(reason -> assertThat(reason.text())
                    .contains("deployed", "now and then", "accepted", "correct the override"));
        });

        zkCli.write("/jobs/deployed/override", override("{\"type\":\"fixedRate\",\"period\":\"PT10S\"}"));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(parameterNow()).isEqualTo("good");
        assertThat(cluster.instances())
                .allMatch(instance -> instance.engine().health().good());
    }

    /** A deployment has taken items away for which an operator has set parameters. */
    @Test
    void jobWhoseOverrideDoesNotFitCanBePausedAndRemoved() {
        register(0, version(1, "good"));
        register(1, version(1, "good"));
        zkCli.write("/jobs/deployed/override", UNFIT);
        cluster.advance(Duration.ofMinutes(2));
        assertThat(parameterNow()).isEqualTo("good");
        Operations operations = cluster.observe();
        CommandOptions ann = CommandOptions.by("ann").because("ticket 7");

        operations.execute(new Command.Pause("deployed", null), ann);
        cluster.advance(Duration.ofSeconds(5));
        runs.clear();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).as("paused").isEmpty();
        assertThat(cluster.instances().get(0).health().jobs().get("deployed").reason(Kind.CONFIGURATION_REFUSED))
                .isPresent();
        operations.execute(new Command.Resume("deployed", true), ann);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(parameterNow()).isEqualTo("good");
        operations.execute(new Command.DisableItem("deployed", "1"), ann);
        cluster.advance(Duration.ofSeconds(5));
        runs.clear();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).extracting(ShardingContext::shardingItem).containsOnly(0);
        assertThatThrownBy(() ->
                        operations.execute(new Command.SetOverride("deployed", Map.of("jobParameter", "x"), null), ann))
                .hasMessageContaining("shardingItemParameters");

        operations.execute(new Command.Remove("deployed"), ann);
        cluster.advance(Duration.ofMinutes(1));
        runs.clear();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(runs).as("removed").isEmpty();
        assertThat(zkCli.text("/jobs/deployed/sharding")).contains("\"total\":0");
        cluster.amend("deployed", override -> JobOverride.NONE);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(parameterNow()).isEqualTo("good");
        assertThat(cluster.instances())
                .allMatch(instance -> instance.engine().health().good());
    }

    /** The deployment has restarted all instances, so none knows the last valid configuration. */
    @Test
    void jobThatNoInstanceCanRunIsRemovedAfterACrash() {
        Duration period = Duration.ofMinutes(5);
        cluster.schedule(
                context -> cluster.instances().forEach(TestCluster.Instance::kill),
                JobConfiguration.newBuilder("deployed", 2)
                        .schedule(Schedule.fixedRate(period))
                        .build());
        cluster.advance(Duration.ofMinutes(1));
        zkCli.write("/jobs/deployed/override", UNFIT);
        cluster.advance(period);
        assertThat(zkCli.text("/jobs/deployed/sharding/0")).contains("RUNNING");
        cluster.join();
        cluster.advance(period);

        cluster.observe().execute(new Command.Remove("deployed"), CommandOptions.by("ann"));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(zkCli.text("/jobs/deployed/sharding")).contains("\"total\":0");
    }

    @Test
    void jobWhoseOverrideWillNotFitCanBePausedAndRemoved() {
        register(0, JobConfiguration.newBuilder("deployed", 6).build());
        Operations operations = cluster.observe();
        CommandOptions ann = CommandOptions.by("ann");
        operations.execute(
                new Command.SetOverride("deployed", Map.of("shardingItemParameters", Map.of(5, "x")), null), ann);
        operations.execute(
                new Command.SetOverride(
                        "deployed",
                        Map.of("shardingTotalCount", 6),
                        cluster.now().plus(Duration.ofHours(1))),
                ann);
        register(1, version(1, "with 2 items"));

        operations.execute(new Command.Pause("deployed", null), ann);
        operations.execute(new Command.Remove("deployed"), ann);
        assertThatThrownBy(() ->
                        operations.execute(new Command.SetOverride("deployed", Map.of("jobParameter", "x"), null), ann))
                .hasMessageContaining("shardingItemParameters");
    }

    @Test
    void commandsForAJobWhoseOverrideDoesNotFitHaveAPreview() {
        register(0, version(1, "good"));
        zkCli.write("/jobs/deployed/override", UNFIT);
        cluster.advance(Duration.ofMinutes(1));
        Operations operations = cluster.observe();
        CommandOptions dryRun = CommandOptions.by("ann").asDryRun();
        String host = cluster.instances().get(0).id();

        for (Command command : List.of(
                new Command.Pause("deployed", null),
                new Command.DisableItem("deployed", "1"),
                new Command.DrainInstance(host, null))) {
            assertThat(operations.execute(command, dryRun).toString())
                    .contains("not predicted", "shardingItemParameters");
        }
        assertThat(operations.execute(new Command.Remove("deployed"), dryRun).toString())
                .contains("a new registration brings the job back");
    }

    @Test
    void itemsMoveWhileTheOverrideDoesNotFit() {
        register(0, version(1, "good"));
        register(1, version(1, "good"));
        zkCli.write("/jobs/deployed/override", UNFIT);
        cluster.advance(Duration.ofMinutes(1));
        TestCluster.Instance other = cluster.instances().stream()
                .filter(instance -> instance != cluster.leader())
                .findFirst()
                .orElseThrow();

        cluster.observe().execute(new Command.DisableInstance("deployed", other.id()), CommandOptions.by("ann"));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(owners()).doesNotContain(other.id());
        assertThat(parameterNow()).isEqualTo("good");
        cluster.observe().execute(new Command.EnableInstance("deployed", other.id()), CommandOptions.by("ann"));
        cluster.advance(Duration.ofMinutes(1));
        assertThat(owners()).contains(other.id());
        other.kill();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(parameterNow()).isEqualTo("good");
        assertThat(cluster.leader().health().jobs().get("deployed").reason(Kind.CONFIGURATION_REFUSED))
                .isPresent();
    }

    @Test
    void itemsMoveOnlyToInstancesThatKnowAValidConfiguration() {
        JobConfiguration before = JobConfiguration.newBuilder("deployed", 6)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                .build();
        register(0, before);
        register(1, before);
        zkCli.write("/jobs/deployed/override", UNFIT);
        cluster.advance(Duration.ofMinutes(1));
        TestCluster.Instance leader = cluster.leader();
        TestCluster.Instance other = cluster.instances().stream()
                .filter(instance -> instance != leader)
                .findFirst()
                .orElseThrow();
        cluster.join().engine().register(job, version(1, "with 2 items"));
        cluster.advance(Duration.ofMinutes(3));
        assertThat(owners()).containsExactlyInAnyOrder(leader.id(), other.id());

        other.kill();
        cluster.advance(Duration.ofMinutes(1));
        assertThat(owners()).containsExactly(leader.id());
        runs.clear();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(runs).hasSize(6);
    }

    private Set<String> owners() {
        return JsonParser.parseString(zkCli.text("/jobs/deployed/sharding"))
                .getAsJsonObject()
                .getAsJsonObject("items")
                .keySet();
    }

    private static String override(String schedule) {
        return "{\"format\":4,\"paused\":false,\"removed\":false,\"disabledItems\":[],\"schedule\":" + schedule + "}";
    }

    /** Guards against a rollback that deletes fields that only the newer version understands. */
    @Test
    void fieldsOfANewerVersionSurviveEveryRewrite() {
        register(0, version(1, "old"));
        cluster.amend("deployed", override -> override.withPaused(false).withJobParameter("x"));
        List<String> paths = List.of(
                "/jobs/deployed/config",
                "/jobs/deployed/override",
                "/jobs/deployed/sharding",
                "/jobs/deployed/sharding/0");
        for (String path : paths) {
            JsonObject json = JsonParser.parseString(zkCli.text(path)).getAsJsonObject();
            json.add("future", JsonParser.parseString("{\"deep\":[1,{\"x\":null}]}"));
            zkCli.write(path, json.toString());
        }
        cluster.advance(Duration.ofMinutes(2));
        register(1, version(1, "again")); // causes a new definition, a new plan, a move of items, and further claims
        cluster.amend("deployed", override -> override.withPaused(true));
        cluster.amend("deployed", override -> override.withPaused(false));
        cluster.advance(Duration.ofMinutes(2));

        for (String path : paths) {
            assertThat(JsonParser.parseString(zkCli.text(path))
                            .getAsJsonObject()
                            .get("future")
                            .toString())
                    .as(path)
                    .startsWith("{\"deep\":[1,");
        }
        assertThat(parameterNow()).isEqualTo("x");
    }

    @Test
    void hostedJobsFollowANewRevisionOneAfterTheOther() {
        register(0, version(1, "old"));
        register(1, version(1, "old"));

        cluster.instances().get(1).engine().redefine(List.of(version(2, "new")));
        assertThat(parameterNow()).isEqualTo("new");
        assertThat(cluster.instances()
                        .get(0)
                        .engine()
                        .health()
                        .jobs()
                        .get("deployed")
                        .reason(Kind.DEFINITION_REPLACED))
                .as("until this instance follows")
                .isPresent();
        cluster.instances().get(0).engine().redefine(List.of(version(2, "new")));
        cluster.advance(Duration.ofMinutes(1));

        assertThat(parameterNow()).isEqualTo("new");
        assertThat(cluster.instances()).allSatisfy(instance -> assertThat(
                        instance.engine().health().jobs().get("deployed").status())
                .isEqualTo(Status.RUNNING));
    }

    @Test
    void newRevisionWaitsForTheConnectionAndDoesNotBringBackARemovedJob() {
        register(0, version(1, "old"));
        register(1, version(1, "old"));
        cluster.pause("deployed");
        cluster.instances().forEach(instance -> instance.store().suspend());

        cluster.instances().get(1).engine().redefine(List.of(version(2, "new")));
        cluster.advance(Duration.ofSeconds(5));
        cluster.instances().forEach(instance -> instance.store().reconnect());
        cluster.advance(Duration.ofMinutes(1));
        runs.clear();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(runs).as("the operator's pause stays").isEmpty();
        cluster.resume("deployed");
        assertThat(parameterNow()).isEqualTo("new");
    }

    @Test
    void redefinitionIsRefusedAtOnceWithTheField() {
        register(0, version(3, "old"));
        var engine = cluster.instances().get(0).engine();

        assertThatThrownBy(() -> engine.redefine(List.of(version(3, "new")))).hasMessageContaining("revision");
        assertThatThrownBy(() -> engine.redefine(
                        List.of(version(4, "new").toBuilder().streaming(true).build())))
                .hasMessageContaining("streaming");
        assertThatThrownBy(() -> engine.redefine(List.of(
                        version(4, "new").toBuilder().errorHandler("UNKNOWN").build())))
                .hasMessageContaining("errorHandler");
        assertThatThrownBy(() -> engine.redefine(List.of(
                        version(4, "new"),
                        JobConfiguration.newBuilder("other", 1).revision(9).build())))
                .hasMessageContaining("other");
        cluster.advance(Duration.ofMinutes(1));
        assertThat(parameterNow()).as("nothing of a refused call has an effect").isEqualTo("old");
    }
}
