package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Code and operators don't fight, whatever order two versions of an application start in. */
@ExtendWith(OstrakaExtension.class)
class RollingDeploymentTest {
    private final List<ShardingContext> runs = new ArrayList<>();
    private final SimpleJob job = runs::add;
    private TestCluster cluster;
    private Hand hand;

    @BeforeEach
    void takeCluster(@Instances(2) TestCluster given) {
        cluster = given;
        hand = new Hand(given);
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

    /** Those whose old pods, restarted in the midst of a deployment, brought the old configuration back. */
    @Test
    void aLowerRevisionNeverReplacesAHigherInWhateverOrderTheyStart() {
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
    void ofEqualRevisionsTheLastRegisteredWins() {
        register(0, version(1, "first"));
        register(1, version(1, "second"));
        assertThat(parameterNow()).isEqualTo("second");
    }

    /** Those who started one process from a branch, and whose jobs went on as the branch had it. */
    @Test
    void definitionOfStrayProcessIsInForceOnlyAsLongAsItLives() {
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
                .as("the process lives on, under another session")
                .isEqualTo("stray");

        stray.kill();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(parameterNow()).isEqualTo("deployed");
        assertThat(replaced(0)).isEmpty();
        assertThat(replaced(1)).isEmpty();
        int version = hand.version("/jobs/deployed/config");
        cluster.advance(Duration.ofMinutes(30));
        assertThat(hand.version("/jobs/deployed/config")).as("they agree").isEqualTo(version);
    }

    @Test
    void rolloutAndRollbackComeOutRightWithoutRevisions() {
        register(0, version(0, "old"));
        register(1, version(0, "old"));
        roll("new");
        assertThat(parameterNow()).isEqualTo("new");
        roll("old");
        assertThat(parameterNow()).isEqualTo("old");
        assertThat(replaced(0)).isEmpty();
        assertThat(replaced(1)).isEmpty();
    }

    /** Both restart in turn; the first comes up in the old version once more in between. */
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
    void twoDefinitionsThatLiveSideBySideDoNotReplaceEachOther() {
        register(0, version(0, "one"));
        register(1, version(0, "other"));
        int version = hand.version("/jobs/deployed/config");
        cluster.advance(Duration.ofHours(1));

        assertThat(hand.version("/jobs/deployed/config")).isEqualTo(version);
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
    void anOverrideSurvivesEveryDeploymentUntilItIsTakenBack() {
        register(0, version(1, "old"));
        cluster.amend("deployed", override -> override.withJobParameter("operator's"));
        assertThat(parameterNow()).isEqualTo("operator's");
        register(1, version(2, "new"));
        assertThat(parameterNow()).isEqualTo("operator's");
        cluster.amend("deployed", override -> override.withJobParameter(null));
        assertThat(parameterNow()).isEqualTo("new");
    }

    @Test
    void aDefinitionThatIsLostComesBackInTheHighestRevisionThatIsRunning() {
        register(0, version(1, "old"));
        register(1, version(2, "new"));
        hand.delete("/jobs/deployed/config");
        cluster.advance(Duration.ofMinutes(4));
        assertThat(parameterNow()).isEqualTo("new");
        assertThat(hand.text("/jobs/deployed/config")).contains("\"revision\":2");
    }

    @Test
    void anOverrideThatDoesNotFitLeavesTheLastGoodConfigurationInForceAndIsNamed() {
        register(0, version(1, "good"));
        register(1, version(1, "good"));
        hand.write(
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

        hand.write("/jobs/deployed/override", override("{\"type\":\"fixedRate\",\"period\":\"PT10S\"}"));
        cluster.advance(Duration.ofMinutes(2));
        assertThat(parameterNow()).isEqualTo("good");
        assertThat(cluster.instances())
                .allMatch(instance -> instance.engine().health().good());
    }

    private static String override(String schedule) {
        return "{\"format\":1,\"paused\":false,\"removed\":false,\"disabledItems\":[],\"schedule\":" + schedule + "}";
    }

    /** Those who rolled back a deployment, and lost what only the newer version had understood. */
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
            JsonObject json = JsonParser.parseString(hand.text(path)).getAsJsonObject();
            json.add("future", JsonParser.parseString("{\"deep\":[1,{\"x\":null}]}"));
            hand.write(path, json.toString());
        }
        cluster.advance(Duration.ofMinutes(2));
        register(1, version(1, "again")); // a new definition, another plan, a move of items, more claims
        cluster.amend("deployed", override -> override.withPaused(true));
        cluster.amend("deployed", override -> override.withPaused(false));
        cluster.advance(Duration.ofMinutes(2));

        for (String path : paths) {
            assertThat(JsonParser.parseString(hand.text(path))
                            .getAsJsonObject()
                            .get("future")
                            .toString())
                    .as(path)
                    .startsWith("{\"deep\":[1,");
        }
        assertThat(parameterNow()).isEqualTo("x");
    }
}
