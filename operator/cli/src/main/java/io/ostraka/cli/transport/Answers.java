package io.ostraka.cli.transport;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.TriggerDetails;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The answers for which the API of operations has no record: lists, views with values of any type, results of commands,
 * and the history. Each record has only the members that the command line uses.
 */
@SuppressWarnings("MissingSummary") // the names of the members are those of the REST API, whose reference explains them
public final class Answers {
    private Answers() {}

    public record Caller(String name) {}

    public record Namespaces(List<String> namespaces) {}

    public record Jobs(List<JobSummary> jobs) {}

    public record Activities(List<JobActivity> activity) {}

    public record Items(List<ItemDetails> items) {}

    public record Explanation(String explanation) {}

    public record Fires(List<Instant> fires) {}

    public record Instances(List<InstanceDetails> instances) {}

    public record Backfills(List<BackfillDetails> backfills) {}

    public record Alarms(List<AlarmDetails> alarms) {}

    public record Differences(List<String> differences) {}

    public record Export() {}

    public record Problems(List<Problem> problems) {}

    public record Problem(
            @Nullable String job,
            String kind,
            String level,
            String text,
            List<String> details,
            @Nullable String since,
            List<String> instances,
            List<String> items,
            List<String> alarms,
            List<Remedy> remedies) {}

    public record Remedy(String text, @Nullable String operation, @Nullable JsonObject command) {}

    public record Job(
            JobSummary summary,
            JobActivity activity,
            List<Field> fields,
            Set<String> disabledItems,
            @Nullable Instant skipTo,
            Map<String, Change> changes,
            List<TriggerDetails> triggers,
            long version,
            String registeredBy,
            @Nullable String problem) {}

    public record Field(
            String field,
            @Nullable JsonElement defined,
            @Nullable Boolean overridden,
            @Nullable JsonElement effective,
            @Nullable Change change) {
        public boolean isOverridden() {
            return overridden != null && overridden;
        }
    }

    public record Result(String text, @Nullable String created, @Nullable List<String> effects) {
        /** Returns the text, or the effects that a dry run predicts. */
        public List<String> lines() {
            return effects == null ? List.of(text) : effects;
        }
    }

    public record PastRuns(List<PastRun> runs, @Nullable String next) {}

    public record PastRun(
            String runId,
            Instant fireTime,
            boolean triggered,
            Map<String, Long> outcomes,
            @Nullable Instant firstStart,
            @Nullable Instant lastEnd,
            @Nullable Trigger trigger) {}

    public record Trigger(@Nullable String requestedBy, @Nullable String reason) {}

    public record Claims(List<Claim> claims, @Nullable String next) {}

    public record Failures(List<Claim> failures, @Nullable String next) {}

    public record Claim(
            String job,
            String item,
            String runId,
            long fencingToken,
            String instance,
            Instant claimedAt,
            int attempt,
            String outcome,
            @Nullable String error,
            @Nullable Instant startedAt,
            Instant endedAt) {}

    public record SkippedFires(List<Skipped> skipped, @Nullable String next) {}

    public record Skipped(
            String item, Instant from, Instant to, long count, String reason, String instance, Instant at) {}

    public record Events(List<Event> events, @Nullable String next) {}

    public record Event(
            String kind, Instant at, String instance, @Nullable String job, @Nullable String item, String detail) {}

    public record Audit(List<Step> steps, @Nullable String next) {}

    public record Step(
            Instant at,
            String actor,
            String origin,
            String role,
            String operation,
            String target,
            String reason,
            String detail,
            @Nullable String outcome) {}

    public record Account(@Nullable String refusal, List<Entry> entries, boolean complete) {}

    public record Entry(
            String item,
            String state,
            Instant from,
            Instant to,
            long count,
            @Nullable String reason,
            @Nullable String runId,
            @Nullable String outcome) {}
}
