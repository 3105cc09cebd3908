package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What interceptors and listeners are promised, of jobs where they record: a try's code is called between {@code before} and
 * {@code after} or {@code completion}, and all of an instance's part in a fire between the two calls of its listeners, of
 * which the second tells how it ended.
 */
final class HeardInOrder extends Invariant {
    /** How a try stands. */
    private enum Try {
        BEFORE,
        RUNS,
        RETURNED,
        THREW,
        AFTER,
        OVER
    }

    /** An instance's part in a fire that has begun. */
    private static final class Part {
        final Map<String, Event.@Nullable Ended> items = new TreeMap<>();
    }

    private final Map<Event.RunKey, Try> tries = new HashMap<>();
    private final Map<Event.RunKey, String> fires = new HashMap<>();
    private final Map<String, Part> parts = new TreeMap<>();
    private final Set<String> killed = new HashSet<>();

    @Override
    void event(Event event, State before) {
        if (event instanceof Event.Intercepted intercepted) {
            intercepted(intercepted);
        } else if (event instanceof Event.Notified notified) {
            notified(notified);
        } else if (event instanceof Event.OfRun ofRun
                && isHeard(ofRun.run().item().job(), before)) {
            if (event instanceof Event.Began began) {
                began(began);
            } else if (event instanceof Event.Ended ended) {
                ended(ended);
            }
        } else if (event instanceof Event.Killed dead) {
            killed.add(dead.process());
            parts.keySet().removeIf(part -> part.startsWith(dead.process() + " "));
        } else if (event instanceof Event.Closed) {
            expect(parts.isEmpty(), "who was told that a fire begins is told that it is over", parts.keySet(), null);
        }
    }

    private static boolean isHeard(String job, State before) {
        JsonObject definition = before.definition(job);
        return definition != null
                && definition.has("jobParameter")
                && definition.get("jobParameter").getAsString().equals(Event.HEARD);
    }

    // ---- interceptors

    private void intercepted(Event.Intercepted event) {
        Try next =
                switch (event.step()) {
                    case "before" -> Try.BEFORE;
                    case "after" -> Try.AFTER;
                    default -> Try.OVER;
                };
        Try last = tries.put(event.run(), next);
        boolean inOrder =
                switch (next) {
                    case BEFORE -> last == null || last == Try.OVER;
                    case AFTER -> last == Try.RETURNED;
                    default -> last == (event.failed() ? Try.THREW : Try.AFTER);
                };
        expect(
                inOrder,
                "interceptors stand around a try, not " + next + " after " + last,
                event,
                event.run().item());
    }

    private void began(Event.Began began) {
        Item item = began.run().item();
        Try last = tries.put(began.run(), Try.RUNS);
        boolean goesOn = last == Try.RETURNED && !began.step().equals("execute");
        expect(last == Try.BEFORE || goesOn, "interceptors come before code, not after " + last, began, item);
        Part part = parts.get(part(began.process(), item.job(), began.runId()));
        expect(part != null, "listeners are told of a fire before code of it is called", began, item);
        fires.put(began.run(), began.runId());
        if (part != null) {
            part.items.put(item.key(), null);
        }
    }

    private void ended(Event.Ended ended) {
        tries.put(ended.run(), ended.failed() ? Try.THREW : Try.RETURNED);
        Part part = parts.get(part(ended.process(), ended.run().item().job(), fires.get(ended.run())));
        if (part != null) {
            part.items.put(ended.run().item().key(), ended);
        }
    }

    // ---- listeners

    private static String part(String process, String job, @Nullable String runId) {
        return process + " " + job + " " + runId;
    }

    private void notified(Event.Notified event) {
        String name = part(event.process(), event.job(), event.runId());
        if (killed.contains(event.process())) {
            return;
        }
        if (!event.over()) {
            expect(parts.put(name, new Part()) == null, "the beginning of a part is told once", event, null);
            return;
        }
        Part part = parts.remove(name);
        if (part == null) {
            expected("what is over has begun", event, null);
            return;
        }
        part.items.forEach((item, ended) -> {
            boolean truly = ended != null && agrees(event.outcomes().get(item), ended);
            expect(
                    truly,
                    "a part is over when its code has returned, and ends as that did",
                    event,
                    new Item(event.job(), item));
        });
    }

    /** Whether an outcome, none for what others go on with, is of code that has returned so. */
    private static boolean agrees(@Nullable String outcome, Event.Ended ended) {
        if (outcome == null) {
            return ended.failed() || ended.told() != null;
        }
        return switch (outcome) {
            case "SUCCEEDED" -> !ended.failed() && ended.told() == null;
            case "FAILED" -> ended.failed() && ended.told() == null;
            default -> Objects.equals(outcome, ended.told()) || (ended.failed() && ended.told() == null);
        };
    }
}
