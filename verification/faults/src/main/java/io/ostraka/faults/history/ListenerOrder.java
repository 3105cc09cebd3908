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
 * Checks the order of interceptors and listeners, for jobs that record their calls. The code of an attempt runs after
 * {@code before}, and before {@code after} or {@code completion}. In each instance, the items of a fire run between the
 * two calls of the listeners, and the second call receives the outcomes.
 */
final class ListenerOrder extends Invariant {
    /** Progress of an attempt. */
    private enum Step {
        BEFORE,
        RUNS,
        RETURNED,
        THREW,
        AFTER,
        OVER
    }

    /** The items of a fire that have started in one instance. */
    private static final class Part {
        final Map<String, Event.@Nullable Ended> items = new TreeMap<>();
    }

    private final Map<Event.RunKey, Step> steps = new HashMap<>();
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
                && records(ofRun.run().item().job(), before)) {
            if (event instanceof Event.Began began) {
                began(began);
            } else if (event instanceof Event.Ended ended) {
                ended(ended);
            }
        } else if (event instanceof Event.Killed dead) {
            killed.add(dead.process());
            parts.keySet().removeIf(part -> part.startsWith(dead.process() + " "));
        } else if (event instanceof Event.Closed) {
            expect(
                    parts.isEmpty(),
                    "a listener that was called before its part is called after it",
                    parts.keySet(),
                    null);
        }
    }

    private static boolean records(String job, State before) {
        JsonObject definition = before.definition(job);
        return definition != null
                && definition.has("jobParameter")
                && definition.get("jobParameter").getAsString().equals(Event.HEARD);
    }

    // ---- interceptors

    private void intercepted(Event.Intercepted event) {
        Step next =
                switch (event.step()) {
                    case "before" -> Step.BEFORE;
                    case "after" -> Step.AFTER;
                    default -> Step.OVER;
                };
        Step last = steps.put(event.run(), next);
        boolean inOrder =
                switch (next) {
                    case BEFORE -> last == null || last == Step.OVER;
                    case AFTER -> last == Step.RETURNED;
                    default -> last == (event.failed() ? Step.THREW : Step.AFTER);
                };
        expect(
                inOrder,
                "interceptors surround an attempt, not " + next + " after " + last,
                event,
                event.run().item());
    }

    private void began(Event.Began began) {
        Item item = began.run().item();
        Step last = steps.put(began.run(), Step.RUNS);
        boolean continues = last == Step.RETURNED && !began.step().equals("execute");
        expect(
                last == Step.BEFORE || continues,
                "an interceptor is called before the code, not after " + last,
                began,
                item);
        Part part = parts.get(part(began.process(), item.job(), began.runId()));
        expect(part != null, "a listener is called before the code of its fire", began, item);
        fires.put(began.run(), began.runId());
        if (part != null) {
            part.items.put(item.key(), null);
        }
    }

    private void ended(Event.Ended ended) {
        steps.put(ended.run(), ended.failed() ? Step.THREW : Step.RETURNED);
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
            expect(parts.put(name, new Part()) == null, "a listener is called once before a part", event, null);
            return;
        }
        Part part = parts.remove(name);
        if (part == null) {
            expected("a listener is called after a part only if it was called before", event, null);
            return;
        }
        part.items.forEach((item, ended) -> {
            boolean truly = ended != null && agrees(event.outcomes().get(item), ended);
            expect(
                    truly,
                    "a listener is called after the code has returned, with its outcome",
                    event,
                    new Item(event.job(), item));
        });
    }

    /**
     * Returns whether an outcome matches the end of the code. If another instance continues the item, the item has no
     * outcome.
     */
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
