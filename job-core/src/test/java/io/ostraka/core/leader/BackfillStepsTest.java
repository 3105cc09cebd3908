package io.ostraka.core.leader;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A backfill triggers fires only in the job for which it was requested. */
class BackfillStepsTest {
    private static final long CREATED = 7;
    private static final Instant DATE = Instant.parse("2026-01-01T00:00:00Z");
    private static final Backfill BACKFILL = Backfill.requested(
            "job",
            new Backfill.Request("b", CREATED, new Orders.Order("ann", "", DATE, null), Map.of(), 1, 1, List.of(DATE)),
            null);

    private static JobView job(@Nullable Long definition, @Nullable UnreadableNode damage) {
        return new JobView(
                "job",
                definition == null
                        ? null
                        : new Versioned<>(
                                new Definition(
                                        JobConfiguration.newBuilder("job", 1).build(), false),
                                0,
                                definition,
                                definition,
                                DATE,
                                new JsonObject()),
                null,
                null,
                new JobView.Damages(damage, null, null));
    }

    private static Backfill.Step next(JobView job) {
        return BackfillSteps.next(BACKFILL, Map.of(), job);
    }

    @Test
    void triggersTheNextDateInTheJobOfTheRequest() {
        assertThat(next(job(CREATED, null)).trigger()).isNotNull();
    }

    @Test
    void endsInAJobThatWasPurgedAndRegisteredAgain() {
        assertThat(next(job(CREATED + 1, null))).isEqualTo(new Backfill.Step(BACKFILL.removed(), null));
    }

    /**
     * The step's transaction checks the definition too, but that check would pass if the job were registered before the
     * write.
     */
    @Test
    void endsIfTheJobHasNoDefinition() {
        assertThat(next(job(null, null))).isEqualTo(new Backfill.Step(BACKFILL.purged(), null));
    }

    @Test
    void waitsWhileTheDefinitionIsDamaged() {
        assertThat(next(job(null, new UnreadableNode("/jobs/job/config is damaged", 0, true))))
                .isEqualTo(new Backfill.Step(BACKFILL, null));
    }
}
