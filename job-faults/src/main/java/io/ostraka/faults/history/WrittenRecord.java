package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An item's record as it stands in its node; what is said of its run must not be asked of one without. */
final class WrittenRecord {
    /** Fires that were decided without being run, the first and the last of them, and how many. */
    record LeftOut(Instant from, Instant to, long count, String reason) {
        private static LeftOut of(JsonObject json) {
            return new LeftOut(
                    Instant.parse(json.get("from").getAsString()),
                    Instant.parse(json.get("to").getAsString()),
                    json.get("count").getAsLong(),
                    json.get("reason").getAsString());
        }
    }

    private final JsonObject json;
    final String state;
    final long incarnation;
    final Instant cursor;
    /** The nonce of the claim, empty text when there was none yet. */
    final String nonce;

    private final @Nullable JsonObject run;

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

    /** How the last run ended, empty text while it has not. */
    String outcome() {
        return json.has("outcome") ? json.get("outcome").getAsString() : "";
    }

    long triggerCursor() {
        return json.get("triggerCursor").getAsLong();
    }

    /** What the last decision left out. */
    List<LeftOut> leftOut() {
        return json.getAsJsonArray("unrun").asList().stream()
                .map(unrun -> LeftOut.of(unrun.getAsJsonObject()))
                .toList();
    }

    /** How many fires the last decision left out. */
    long numberLeftOut() {
        return leftOut().stream().mapToLong(LeftOut::count).sum();
    }

    Map<String, Long> leftOutByReason() {
        Map<String, Long> reasons = new TreeMap<>();
        leftOut().forEach(each -> reasons.merge(each.reason(), each.count(), Long::sum));
        return reasons;
    }

    /** When the last run ended; empty while it has not, and before the first. */
    Optional<Instant> endedAt() {
        return json.has("endedAt")
                ? Optional.of(Instant.parse(json.get("endedAt").getAsString()))
                : Optional.empty();
    }

    /** The pause before the next run; empty where no run has decided on it. */
    Optional<Duration> currentDelay() {
        return json.has("currentDelay")
                ? Optional.of(Duration.parse(json.get("currentDelay").getAsString()))
                : Optional.empty();
    }

    /** The owner's clock when it claimed. */
    Instant startedAt() {
        return Instant.parse(run().get("startedAt").getAsString());
    }

    /** Since when the item has worked off fires without a pause. */
    Instant busySince() {
        return Instant.parse(run().get("busySince").getAsString());
    }

    String fire() {
        return run().getAsJsonObject("fire").get("id").getAsString();
    }

    Instant fireTime() {
        return Instant.parse(run().getAsJsonObject("fire").get("at").getAsString());
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

    /** How many owners had died running the fire when it was claimed last. */
    int crashes() {
        return run().get("crashes").getAsInt();
    }

    String owner() {
        return run().get("owner").getAsString();
    }

    /** The session of its owner. */
    long ownerSession() {
        return session(owner());
    }

    /** The session that an instance's id names. */
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
