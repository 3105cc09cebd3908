package io.ostraka.faults.history;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.TreeMap;

/**
 * Checks I7: in the calm phase, every living process has published its health. The published digest contains exactly
 * the reasons that the process reports.
 */
final class TrueDigests extends Invariant {
    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Health health && health.steady() && before.calm() != null) {
            State.Node digest = before.node("/health/" + health.instance());
            if (digest == null) {
                expected(health.process() + " has published its health", "it has no digest", null);
            } else if (!digest.data().contains("\"jobsGzip\"")) { // with many reasons the digest has another format
                compare(health, reasons(State.json(digest.data()).getAsJsonObject("jobs")));
            }
        }
    }

    private void compare(Event.Health health, Map<String, Map<String, String>> published) {
        Map<String, Map<String, String>> reported = new TreeMap<>(health.reasons());
        reported.values().removeIf(Map::isEmpty);
        expect(
                published.equals(reported),
                "the digest of " + health.process() + " has the reasons " + reported,
                published,
                null);
    }

    private static Map<String, Map<String, String>> reasons(JsonObject jobs) {
        Map<String, Map<String, String>> reasons = new TreeMap<>();
        jobs.asMap().forEach((job, all) -> {
            Map<String, String> texts = new TreeMap<>();
            for (JsonElement each : all.getAsJsonArray()) {
                JsonObject reason = each.getAsJsonObject();
                texts.put(reason.get("kind").getAsString(), reason.get("text").getAsString());
            }
            reasons.put(job, texts);
        });
        return reasons;
    }
}
