package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An item's record as it stands in its node; what is said of its run must not be asked of one without. */
final class WrittenRecord {
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

    /** How many fires the last decision left out. */
    long leftOut() {
        return leftOutByReason().values().stream().mapToLong(Long::longValue).sum();
    }

    Map<String, Long> leftOutByReason() {
        Map<String, Long> reasons = new TreeMap<>();
        for (JsonElement element : json.getAsJsonArray("unrun")) {
            JsonObject unrun = element.getAsJsonObject();
            reasons.merge(unrun.get("reason").getAsString(), unrun.get("count").getAsLong(), Long::sum);
        }
        return reasons;
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
