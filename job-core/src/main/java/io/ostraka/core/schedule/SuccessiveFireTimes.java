package io.ostraka.core.schedule;

import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The fire times of several schedules, each of which was used in its own time span. */
final class SuccessiveFireTimes implements FireTimes {
    private final List<Span> spans;

    /**
     * The time span {@code (since, until]} in which one schedule was used.
     *
     * @param times supplies the schedule's fire times. Called only if needed, which is rare for a replaced schedule
     */
    record Span(Supplier<FireTimes> times, Instant since, Instant until) {
        Optional<Instant> next(Instant after) {
            return from(after).isBefore(until)
                    ? times.get().next(from(after)).filter(next -> !next.isAfter(until))
                    : Optional.empty();
        }

        List<Instant> latest(Instant after, Instant upTo, int max) {
            return from(after).isBefore(to(upTo)) ? times.get().latest(from(after), to(upTo), max) : List.of();
        }

        long count(Instant after, Instant upTo) {
            return from(after).isBefore(to(upTo)) ? times.get().count(from(after), to(upTo)) : 0;
        }

        Span of(ItemRecord record) {
            return new Span(() -> times.get().of(record), since, until);
        }

        Span remembering() {
            return new Span(
                    new Supplier<>() {
                        private @Nullable FireTimes known;

                        @Override
                        public FireTimes get() {
                            FireTimes remembering = known == null ? times.get().remembering() : known;
                            known = remembering;
                            return remembering;
                        }
                    },
                    since,
                    until);
        }

        private Instant from(Instant after) {
            return after.isAfter(since) ? after : since;
        }

        private Instant to(Instant upTo) {
            return upTo.isBefore(until) ? upTo : until;
        }
    }

    /** Creates fire times from spans, which must be ordered from the oldest to the latest. */
    SuccessiveFireTimes(List<Span> spans) {
        this.spans = List.copyOf(spans);
    }

    @Override
    public Optional<Instant> next(Instant after) {
        for (Span span : spans) {
            Optional<Instant> next = span.next(after);
            if (next.isPresent()) {
                return next;
            }
        }
        return Optional.empty();
    }

    @Override
    public List<Instant> latest(Instant after, Instant upTo, int max) {
        if (spans.size() == 1) { // the usual case, which must be fast because each fire calls this
            return spans.get(0).latest(after, upTo, max);
        }
        Deque<Instant> found = new ArrayDeque<>();
        for (int i = spans.size() - 1; i >= 0 && found.size() < max; i--) {
            List<Instant> ofSpan = spans.get(i).latest(after, upTo, max - found.size());
            for (int last = ofSpan.size() - 1; last >= 0; last--) {
                found.addFirst(ofSpan.get(last));
            }
        }
        return List.copyOf(found);
    }

    @Override
    public long count(Instant after, Instant upTo) {
        return spans.stream().mapToLong(span -> span.count(after, upTo)).sum();
    }

    @Override
    public FireTimes of(ItemRecord record) {
        if (spans.size() == 1) {
            FireTimes all = spans.get(0).times.get();
            if (all.of(record) == all) {
                return this; // the usual case: the record changes nothing
            }
        }
        return new SuccessiveFireTimes(
                spans.stream().map(span -> span.of(record)).toList());
    }

    @Override
    public FireTimes remembering() {
        if (spans.size() == 1) { // the usual case
            Span span = spans.get(0);
            FireTimes all = span.times.get();
            FireTimes remembering = all.remembering();
            return remembering == all
                    ? this
                    : new SuccessiveFireTimes(List.of(new Span(() -> remembering, span.since, span.until)));
        }
        return new SuccessiveFireTimes(spans.stream().map(Span::remembering).toList());
    }

    @Override
    public long shortestGap() {
        return spans.get(spans.size() - 1).times.get().shortestGap();
    }

    /** Returns the value of the current schedule, because fires of replaced schedules are always skipped. */
    @Override
    public boolean patient() {
        return spans.get(spans.size() - 1).times.get().patient();
    }
}
