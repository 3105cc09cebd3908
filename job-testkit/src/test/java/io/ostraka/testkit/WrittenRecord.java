package io.ostraka.testkit;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;

/** An item's record as it stands in its node; what is said of its run must not be asked of one without. */
record WrittenRecord(JsonObject json) {
    String state() {
        return json.get("state").getAsString();
    }

    boolean unfinished() {
        return state().equals("RUNNING") || state().equals("HANDED_OVER");
    }

    Instant cursor() {
        return Instant.parse(json.get("cursor").getAsString());
    }

    long incarnation() {
        return json.get("incarnation").getAsLong();
    }

    /** How the last run ended, empty text while it has not. */
    String outcome() {
        return json.has("outcome") ? json.get("outcome").getAsString() : "";
    }

    /** How many fires the last decision left out. */
    long leftOut() {
        long count = 0;
        for (JsonElement unrun : json.getAsJsonArray("unrun")) {
            count += unrun.getAsJsonObject().get("count").getAsLong();
        }
        return count;
    }

    /** The nonce of the claim, empty text when there was none yet. */
    String nonce() {
        return json.has("run") ? run().get("nonce").getAsString() : "";
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

    private JsonObject run() {
        return json.getAsJsonObject("run");
    }
}
