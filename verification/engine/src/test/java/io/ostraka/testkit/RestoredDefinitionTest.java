package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.model.Definition;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Tests an instance that restores a damaged definition. It decides from an earlier read, and another instance may have
 * registered the job since then.
 */
class RestoredDefinitionTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final InMemoryCoordination tree = new InMemoryCoordination(() -> NOW);
    private final Jobs jobs = connected();

    private Jobs connected() {
        InMemoryNodeStore store = tree.connect("test", Runnable::run);
        store.start(new DeafListener());
        return new TreeCoordination(
                        store, new ManualTime(NOW, 0).platform(Duration.ZERO).clock())
                .jobs();
    }

    @Test
    void restoreKeepsADefinitionThatWasRegisteredMeanwhile() {
        done(jobs.define(definition(4, 0), "b@2@2"));

        done(jobs.restore(definition(8, 0), "a@1@1"));

        assertThat(itemCount()).isEqualTo(4);
    }

    @Test
    void restoreReplacesADefinitionOfALowerRevision() {
        done(jobs.define(definition(4, 0), "b@2@2"));

        done(jobs.restore(definition(8, 1), "a@1@1"));

        assertThat(itemCount()).isEqualTo(8);
    }

    @Test
    void restoreCreatesAMissingDefinition() {
        done(jobs.restore(definition(8, 0), "a@1@1"));

        assertThat(itemCount()).isEqualTo(8);
    }

    private int itemCount() {
        return done(jobs.job("report")).definition().value().configuration().shardingTotalCount();
    }

    private static Definition definition(int items, long revision) {
        return new Definition(
                JobConfiguration.newBuilder("report", items).revision(revision).build(), false);
    }

    private static <T> T done(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
