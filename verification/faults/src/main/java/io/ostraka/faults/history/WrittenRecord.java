package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The record of an item as stored in its node. Methods that concern the run may be called only if the record has a run.
 */
final class WrittenRecord {
    /** Consecutive fires that were skipped for the same reason: the first, the last, and their number. */
    record Skipped(Instant from, Instant to, long count, String reason) {
        private static Skipped of(JsonObject json) {
            return new Skipped(
                    Instant.parse(json.get("from").getAsString()),
                    Instant.parse(json.get("to").getAsString()),
                    json.get("count").getAsLong(),
                    json.get("reason").getAsString());
        }
    }

    /**
     * The end of a run.
     *
     * @param owner instance that ran the item
     */
    record End(String nonce, String owner, String endedAt, String outcome) {
        private static End of(JsonObject claim, JsonObject end) {
            String nonce = claim.get("nonce").getAsString();
            return new End(
                    nonce,
                    claim.has("owner") ? claim.get("owner").getAsString() : nonce.substring(0, nonce.indexOf('/')),
                    end.get("endedAt").getAsString(),
                    end.get("outcome").getAsString());
        }
    }

    private final JsonObject json;
    final String state;
    final long incarnation;
    final Instant cursor;
    /** Nonce of the claim; empty before the first claim. */
    final String nonce;

    private final @Nullable JsonObject run;
    /** Parsed times of the run, which many invariants read. */
    private @Nullable Instant startedAt;

    private @Nullable Instant fireTime;

    WrittenRecord(JsonObject json) {
        this.json = json;
        state = json.get("state").getAsString();
        incarnation = json.get("incarnation").getAsLong();
        cursor = Instant.parse(json.get("cursor").getAsString());
        run = json.getAsJsonObject("run");
        nonce = run == null ? "" : run.get("nonce").getAsString();
    }

    boolean unfinished() {
        return state.equals("RUNNING") || state.equals("HANDED_OVER");
    }

    /** Returns the outcome of the last run; empty while it has not ended. */
    String outcome() {
        return json.has("outcome") ? json.get("outcome").getAsString() : "";
    }

    /** Returns the description of the last run's failure or cancellation; empty if there is none. */
    String error() {
        return json.has("error") ? json.get("error").getAsString() : "";
    }

    /** Returns whether the last run ended because an operator stopped its fire. */
    boolean stoppedByOperator() {
        return outcome().equals("CANCELLED") && error().startsWith("stopped by ");
    }

    /** Returns whether the record replaces a lost one, and the item has not run since. */
    boolean replacesLost() {
        return nonce.isEmpty() && error().startsWith("the record was lost");
    }

    long triggerCursor() {
        return json.get("triggerCursor").getAsLong();
    }

    /** Returns the fires that the last decision skipped. */
    List<Skipped> skipped() {
        return json.getAsJsonArray("skipped").asList().stream()
                .map(skipped -> Skipped.of(skipped.getAsJsonObject()))
                .toList();
    }

    /** Returns the number of fires that the last decision skipped. */
    long numberSkipped() {
        return skipped().stream().mapToLong(Skipped::count).sum();
    }

    Map<String, Long> skippedByReason() {
        Map<String, Long> reasons = new TreeMap<>();
        skipped().forEach(each -> reasons.merge(each.reason(), each.count(), Long::sum));
        return reasons;
    }

    /** Returns the end of the last run; null while the run has not ended, and before the first run. */
    @Nullable End end() {
        return run == null || !json.has("outcome") || !json.has("endedAt") ? null : End.of(run, json);
    }

    /** Returns the end before the latest claim; null if there is none. */
    @Nullable End previousEnd() {
        JsonObject previous = json.getAsJsonObject("previous");
        return previous == null ? null : End.of(previous.getAsJsonObject("run"), previous);
    }

    /** Returns the ends that the record shows. */
    List<End> ends() {
        return Stream.of(Optional.ofNullable(previousEnd()), Optional.ofNullable(end()))
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * If a single write has ended this record's run and made the next claim, returns the record as it was between the
     * two; otherwise null. Its cursors follow from this record, and its result is the previous result in the next
     * record.
     */
    @Nullable JsonObject endedBy(WrittenRecord next) {
        JsonObject previous = next.json.getAsJsonObject("previous");
        if (!state.equals("RUNNING")
                || !next.state.equals("RUNNING")
                || next.incarnation != incarnation
                || next.nonce.equals(nonce)
                || previous == null
                || !previous.getAsJsonObject("run").get("nonce").getAsString().equals(nonce)) {
            return null;
        }
        JsonObject ended = json.deepCopy();
        ended.addProperty("state", "IDLE");
        JsonObject fire = run().getAsJsonObject("fire");
        if (!triggered() && fireTime().isAfter(cursor)) {
            ended.add("cursor", fire.get("at"));
        }
        long trigger = fire.get("triggerZxid").getAsLong();
        ended.addProperty("triggerCursor", Math.max(triggerCursor(), trigger));
        for (String field : List.of("attempt", "token")) {
            ended.getAsJsonObject("run")
                    .add(field, previous.getAsJsonObject("run").get(field));
        }
        copy(previous, ended, "endedAt", "outcome", "error");
        copy(next.json, ended, "consecutiveFailures", "currentDelay", "runTime");
        return ended;
    }

    private static void copy(JsonObject from, JsonObject to, String... fields) {
        for (String field : fields) {
            to.remove(field);
            if (from.has(field)) {
                to.add(field, from.get(field));
            }
        }
    }

    /** Returns the latest command with which an operator set back a future cursor; null if there is none. */
    @Nullable JsonObject setBack() {
        return json.getAsJsonObject("setBack");
    }

    /** Returns whether two records agree in all fields except these. */
    boolean sameExcept(WrittenRecord other, String... fields) {
        JsonObject mine = json.deepCopy();
        JsonObject others = other.json.deepCopy();
        for (String field : fields) {
            mine.remove(field);
            others.remove(field);
        }
        return mine.equals(others);
    }

    /** Returns the end of the last run; empty before it ends and before the first run. */
    Optional<Instant> endedAt() {
        return json.has("endedAt")
                ? Optional.of(Instant.parse(json.get("endedAt").getAsString()))
                : Optional.empty();
    }

    /** Returns the pause before the next run; empty if no run has set a pause. */
    Optional<Duration> currentDelay() {
        return json.has("currentDelay")
                ? Optional.of(Duration.parse(json.get("currentDelay").getAsString()))
                : Optional.empty();
    }

    /** Returns the owner's clock at the claim. */
    Instant startedAt() {
        if (startedAt == null) {
            startedAt = Instant.parse(run().get("startedAt").getAsString());
        }
        return startedAt;
    }

    /** Returns the time since which the item has run fires without a break. */
    Instant busySince() {
        return Instant.parse(run().get("busySince").getAsString());
    }

    /** Returns the number of failed fires in a row. */
    int failures() {
        return json.get("consecutiveFailures").getAsInt();
    }

    String fire() {
        return run().getAsJsonObject("fire").get("id").getAsString();
    }

    Instant fireTime() {
        if (fireTime == null) {
            fireTime = Instant.parse(run().getAsJsonObject("fire").get("at").getAsString());
        }
        return fireTime;
    }

    boolean hasRun() {
        return run != null;
    }

    /** Returns the time that the fire's trigger chose for user code; empty if it chose none. */
    Optional<Instant> chosenTime() {
        JsonObject fire = run().getAsJsonObject("fire");
        return fire.has("fireTime")
                ? Optional.of(Instant.parse(fire.get("fireTime").getAsString()))
                : Optional.empty();
    }

    boolean triggered() {
        return run().getAsJsonObject("fire").get("triggerZxid").getAsLong() != 0;
    }

    int total() {
        return run().get("total").getAsInt();
    }

    int attempt() {
        return run().get("attempt").getAsInt();
    }

    /** Returns the number of owners that had died during the fire at the time of the latest claim. */
    int crashes() {
        return run().get("crashes").getAsInt();
    }

    /** Returns the position of the claim among all claims of the item. */
    long number() {
        return run().get("number").getAsLong();
    }

    String owner() {
        return run().get("owner").getAsString();
    }

    /** Returns the owner's session. */
    long ownerSession() {
        return session(owner());
    }

    /** Returns the session that an instance's id contains. */
    static long session(String instance) {
        return Long.parseUnsignedLong(instance.substring(instance.lastIndexOf('@') + 1), 16);
    }

    private JsonObject run() {
        if (run == null) {
            throw new IllegalStateException("has never run: " + json);
        }
        return run;
    }

    @Override
    public String toString() {
        return json.toString();
    }
}
