package io.ostraka.faults.history;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks the alarms. A message about an alarm is sent only after the alarm was written, and is marked as delivered only
 * after its receipt. A job has at most one alarm of a kind at a time, and users receive its beginning before its end.
 * No alarm is false: the records have shown its cause shortly before it was written. At the end of the calm phase, the
 * alarms agree with the records, and users have received all messages.
 */
final class AlarmsKept extends Invariant {
    private static final String ALARMS = "/alarms/";
    /** Longest time between a read of the records and the write of the alarm that follows from this read. */
    private static final Duration RECENT = Duration.ofSeconds(30);
    /** Longest time by which the leader's estimate of the server's clock may be ahead, because replies are late. */
    private static final Duration CLOCK = Duration.ofSeconds(10);
    /** Time for which a cause must have existed, or must have been absent, before the alarms have to agree with it. */
    private static final Duration SETTLED = Duration.ofSeconds(45);

    private static final Set<String> CAUSED_BY_RECORDS =
            Set.of("MISSED", "LATE", "RUNS_TOO_LONG", "FAILING", "QUARANTINED");

    /**
     * Messages about alarms that were in a node at some time. Each entry is the id of the alarm and its state. A leader
     * that was replaced without knowing it may repeat a message after its successor has removed the alarm.
     */
    private final Set<String> written = new HashSet<>();
    /** Messages that users have received. Each entry is the id of the alarm and its state. */
    private final Set<String> received = new HashSet<>();
    /** Latest time at which a record showed a cause, by job and kind. */
    private final Map<String, Instant> shown = new HashMap<>();
    /** Time at which the records began or ceased to show a cause, by job and kind. */
    private final Map<String, Instant> since = new TreeMap<>();

    private final Map<String, Boolean> present = new HashMap<>();
    /** Time of each item's latest claim by the server's clock, from which the leader computes how long a run takes. */
    private final Map<Item, Instant> claimed = new HashMap<>();

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Alarmed alarm) {
            String name = alarm.id() + " " + alarm.state();
            expect(written.contains(alarm.id() + " FIRING"), "an alarm is written before it is delivered", alarm, null);
            if (alarm.state().equals("RESOLVED")) {
                expect(written.contains(name), "the end of an alarm is written before it is delivered", alarm, null);
                expect(
                        received.contains(alarm.id() + " FIRING"),
                        "users learn the end of an alarm after its beginning",
                        alarm,
                        null);
            }
            received.add(name);
        } else if (event instanceof Event.Over over) {
            over(over.at(), before);
        }
    }

    @Override
    void transaction(Event.Transaction transaction, State before) {
        for (Write write : transaction.writes()) {
            String data = write.data();
            if (write.path().startsWith(ALARMS) && !data.isEmpty()) {
                written(write.path(), State.json(data).getAsJsonArray("alarms"), transaction.at(), before);
            }
        }
    }

    private void written(String path, JsonArray alarms, Instant at, State before) {
        String job = path.substring(ALARMS.length());
        Set<String> firing = new HashSet<>();
        for (JsonElement each : alarms) {
            JsonObject alarm = each.getAsJsonObject();
            String id = alarm.get("id").getAsString();
            String kind = alarm.get("kind").getAsString();
            boolean lasts = !alarm.has("ended");
            expect(!lasts || firing.add(kind), "a job has one alarm of a kind at a time", alarm, null);
            marked(alarm, id, "told", "FIRING");
            marked(alarm, id, "toldEnd", "RESOLVED");
            expect(
                    !lasts || !written.contains(id + " RESOLVED"),
                    "an alarm does not begin again after its end",
                    alarm,
                    null);
            if (written.add(id + " FIRING")) {
                begun(job, kind, alarm, at, before);
            }
            if (!lasts) {
                written.add(id + " RESOLVED");
            }
        }
    }

    private void marked(JsonObject alarm, String id, String field, String state) {
        for (JsonElement handler : alarm.getAsJsonArray(field)) {
            expect(
                    received.isEmpty()
                            || !handler.getAsString().equals(Event.ALARM_HANDLER)
                            || received.contains(id + " " + state),
                    "a message is marked after its receipt",
                    alarm,
                    null);
        }
    }

    /** Checks that a new alarm is not false. */
    private void begun(String job, String kind, JsonObject alarm, Instant at, State before) {
        Instant now = at.plus(CLOCK);
        Policy policy = policy(job, before);
        before.records(job).forEach((item, record) -> note(item, record, now, policy));
        boolean justified = !CAUSED_BY_RECORDS.contains(kind) || recently(job + " " + kind, at);
        expect(justified, "the records justify the alarm", alarm, null);
    }

    private boolean recently(String cause, Instant at) {
        Instant last = shown.get(cause);
        return last != null && !last.plus(RECENT).isBefore(at);
    }

    @Override
    void move(Move move, State before) {
        Policy policy = policy(move.item().job(), before);
        Instant now = move.by().at().plus(CLOCK);
        note(move.item(), move.before(), now, policy);
        if (move.claims()) {
            claimed.put(move.item(), move.by().at());
        }
        note(move.item(), move.next(), now, policy);
        judge(move.item().job(), move, before);
    }

    /** Records the causes that a record shows. */
    private void note(Item item, WrittenRecord record, Instant now, @Nullable Policy policy) {
        note(item, "FAILING", record.failures() > 0, now);
        note(item, "QUARANTINED", record.state.equals("QUARANTINED"), now);
        if (policy == null) {
            return;
        }
        boolean ran = !record.nonce.isEmpty();
        note(
                item,
                "MISSED",
                !ran
                        || !began(item, record).plus(policy.limit("MISSED")).isAfter(now)
                        || record.skipped().stream()
                                .anyMatch(skipped -> skipped.reason().equals("MISFIRED")),
                now);
        note(
                item,
                "LATE",
                ran
                        && !record.triggered()
                        && !record.fireTime()
                                .plus(policy.limit("LATE"))
                                .isAfter(record.startedAt().plusSeconds(1)),
                now);
        note(
                item,
                "RUNS_TOO_LONG",
                ran
                        && record.unfinished()
                        && !claimed.getOrDefault(item, record.startedAt())
                                .plus(policy.limit("RUNS_TOO_LONG"))
                                .isAfter(now),
                now);
    }

    /** Returns the start of an item's run. The clock of its instance, which wrote the record, may have been ahead. */
    private Instant began(Item item, WrittenRecord record) {
        Instant known = claimed.getOrDefault(item, record.startedAt());
        return known.isBefore(record.startedAt()) ? known : record.startedAt();
    }

    private void note(Item item, String kind, boolean cause, Instant now) {
        if (cause) {
            shown.put(item.job() + " " + kind, now);
        }
    }

    /** Updates the times at which the job's records began or ceased to show causes. */
    private void judge(String job, Move move, State before) {
        Policy policy = policy(job, before);
        if (policy == null) {
            return;
        }
        boolean failing = false;
        boolean quarantined = false;
        Map<Item, WrittenRecord> records = new HashMap<>(before.records(job));
        records.put(move.item(), move.next());
        WrittenPlan plan = before.plan(job);
        for (WrittenRecord record : records.values()) {
            if (plan != null && record.incarnation == plan.incarnation && !record.state.equals("RETIRED")) {
                failing |= record.failures() >= policy.failures();
                quarantined |= record.state.equals("QUARANTINED");
            }
        }
        set(job + " FAILING", failing, move.by().at());
        set(job + " QUARANTINED", quarantined, move.by().at());
    }

    private void set(String cause, boolean holds, Instant at) {
        Boolean before = present.put(cause, holds);
        if (before == null || before != holds) {
            since.put(cause, at);
        }
    }

    /** Checks that the alarms agree with the records. Ignores causes that have begun or ended recently. */
    private void over(Instant at, State before) {
        Instant calm = before.calm();
        since.forEach((cause, began) -> {
            String job = cause.substring(0, cause.indexOf(' '));
            String kind = cause.substring(cause.indexOf(' ') + 1);
            WrittenPlan plan = before.plan(job);
            if (calm == null
                    || began.plus(SETTLED).isAfter(at)
                    || calm.plus(SETTLED).isAfter(at)
                    || policy(job, before) == null
                    || plan == null
                    || plan.total == 0) {
                return;
            }
            boolean fires = firing(before.node(ALARMS + job), kind);
            expect(
                    fires == Boolean.TRUE.equals(present.get(cause)),
                    "the alarm " + kind + " of job " + job + " agrees with the records, which show since " + began
                            + " that it is " + present.get(cause),
                    fires,
                    null);
        });
        before.below("/alarms").forEach((path, node) -> {
            for (JsonElement each : State.json(node.data()).getAsJsonArray("alarms")) {
                JsonObject alarm = each.getAsJsonObject();
                Instant changed = Instant.parse(
                        alarm.get(alarm.has("ended") ? "ended" : "began").getAsString());
                if (!changed.plus(SETTLED).isAfter(at)) {
                    String id = alarm.get("id").getAsString();
                    expect(
                            received.isEmpty()
                                    || received.contains(id + " FIRING")
                                            && (!alarm.has("ended") || received.contains(id + " RESOLVED")),
                            "in the calm users receive all messages",
                            alarm,
                            null);
                }
            }
        });
    }

    private static boolean firing(State.@Nullable Node node, String kind) {
        if (node == null) {
            return false;
        }
        for (JsonElement each : State.json(node.data()).getAsJsonArray("alarms")) {
            JsonObject alarm = each.getAsJsonObject();
            if (alarm.get("kind").getAsString().equals(kind) && !alarm.has("ended")) {
                return true;
            }
        }
        return false;
    }

    /** Limits of a job's alarms. */
    private record Policy(Map<String, String> settings) {
        Duration limit(String kind) {
            return Duration.parse(settings.get(kind));
        }

        int failures() {
            return Integer.parseInt(settings.get("FAILING"));
        }
    }

    /** Returns the limits of a job; null if its definition does not set all of them. */
    private static @Nullable Policy policy(String job, State before) {
        JsonObject definition = before.definition(job);
        if (definition == null || !definition.has("alarms")) {
            return null;
        }
        Map<String, String> settings = new HashMap<>();
        for (String each : definition.get("alarms").getAsString().split(" ")) {
            settings.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        return new Policy(settings);
    }
}
