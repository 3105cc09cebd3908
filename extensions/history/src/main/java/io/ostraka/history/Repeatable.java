package io.ostraka.history;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.PastRun;
import io.ostraka.history.jdbc.Cursor;
import io.ostraka.history.jdbc.Page;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.history.jdbc.RunSummary;
import io.ostraka.history.row.ClaimReport;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A run of the history that can run again.
 *
 * @param run the run
 * @param failed keys of the items whose last claim of the run failed, timed out or crashed
 */
record Repeatable(PastRun run, Set<String> failed) {
    private static final int PAGE = 1_000;
    private static final Set<String> FAILED =
            Set.of(ItemOutcome.FAILED.name(), ItemOutcome.TIMED_OUT.name(), ItemOutcome.CRASHED.name());

    /** Finds a run by its id. Empty if the history does not contain the run. */
    static Optional<Repeatable> find(Queries queries, String job, String runId) throws SQLException {
        Optional<Instant> fireTime = queries.fireTime(job, runId);
        Optional<RunSummary> found = fireTime.isEmpty() ? Optional.empty() : queries.run(job, runId, fireTime.get());
        if (found.isEmpty()) {
            return Optional.empty();
        }
        RunSummary run = found.get();
        Map<String, ClaimReport> last = new HashMap<>();
        Cursor after = null;
        do {
            Page<ClaimReport> page = queries.claimsOfRun(job, runId, run.fireTime(), after, PAGE);
            page.rows()
                    .forEach(claim -> last.merge(
                            claim.item(), claim, (one, other) -> one.runNumber() > other.runNumber() ? one : other));
            after = page.next();
        } while (after != null);
        Set<String> failed = new TreeSet<>();
        last.forEach((item, claim) -> {
            if (FAILED.contains(claim.outcome())) {
                failed.add(item);
            }
        });
        return Optional.of(
                new Repeatable(new PastRun(run.fireTime(), run.shardingTotalCount(), parameters(run)), failed));
    }

    private static @Nullable Map<String, String> parameters(RunSummary run) {
        if (!run.triggered()) {
            return Map.of();
        }
        return run.trigger() == null || !run.trigger().exact()
                ? null
                : run.trigger().parameters();
    }
}
