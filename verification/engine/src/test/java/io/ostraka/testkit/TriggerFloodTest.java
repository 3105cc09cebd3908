package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests a loop that sends triggers. The process accepts triggers up to its limit of triggers in flight, and rejects
 * further ones at once.
 */
class TriggerFloodTest {
    private static final int OF_A_JOB = 1_000;
    private static final int OF_ALL = 5_000;

    private final TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final List<String> ran = new ArrayList<>();
    private final List<JobRun> accepted = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    private void schedule(String job) {
        SimpleJob body = context -> ran.add(context.runId());
        cluster.schedule(body, JobConfiguration.newBuilder(job, 1).build());
    }

    private int countRefused(String job, int calls) {
        int refused = 0;
        for (int i = 0; i < calls; i++) {
            try {
                accepted.add(cluster.instances().get(0).engine().trigger(job, Map.of(), Set.of()));
            } catch (TooManyTriggersException e) {
                refused++;
            }
        }
        return refused;
    }

    @Tag("slow")
    @Test
    void acceptedTriggersRunAndTheOthersAreRefusedAtOnce() {
        schedule("flooded");
        assertThat(countRefused("flooded", 3 * OF_A_JOB)).isEqualTo(2 * OF_A_JOB);

        cluster.advance(Duration.ofMinutes(1));
        assertThat(ran).hasSize(OF_A_JOB).doesNotHaveDuplicates();
        assertThat(accepted).allSatisfy(run -> assertThat(run.completion().toCompletableFuture())
                .isCompleted());

        assertThat(countRefused("flooded", 1))
                .as("refused after runs have ended")
                .isZero();
    }

    @Tag("slow")
    @Test
    void eachJobHasItsOwnLimitUpToThatOfTheProcess() {
        int jobs = OF_ALL / OF_A_JOB;
        for (int job = 0; job <= jobs; job++) {
            schedule("flooded-" + job);
        }
        cluster.instances().get(0).expireSession(); // no trigger is sent meanwhile
        for (int job = 0; job < jobs; job++) {
            assertThat(countRefused("flooded-" + job, OF_A_JOB)).isZero();
        }
        assertThatThrownBy(() -> cluster.instances().get(0).engine().trigger("flooded-" + jobs, Map.of(), Set.of()))
                .isInstanceOf(TooManyTriggersException.class)
                .hasMessageContainingAll("flooded-" + jobs, "5000 triggers of all jobs", "wait for runs to end");
    }

    @Test
    void mergedTriggersCountAsOne() {
        schedule("merged");
        Duration delay = Duration.ofMinutes(10);
        List<CompletionStage<JobRun>> stages = new ArrayList<>();
        for (int i = 0; i < 3 * OF_A_JOB; i++) {
            stages.add(cluster.instances()
                    .get(0)
                    .engine()
                    .triggerAfter(new Trigger.Request("merged", "run-" + i, Map.of(), Set.of()), "key", delay));
            cluster.advance(Duration.ofMillis(1));
        }
        cluster.advance(delay.multipliedBy(2));
        assertThat(ran).containsExactly("run-0");
        assertThat(stages).allSatisfy(run -> assertThat(run.toCompletableFuture())
                .isCompletedWithValueMatching(merged -> merged.runId().equals("run-0")));
        assertThat(countRefused("merged", OF_A_JOB)).as("refused afterwards").isZero();
    }
}
