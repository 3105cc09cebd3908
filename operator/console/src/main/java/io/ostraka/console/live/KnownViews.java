package io.ostraka.console.live;

import io.ostraka.console.live.SharedViews.View;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The views that the clients of a feed need, with the latest answers. Not thread-safe: the feed guards it. */
final class KnownViews {
    /** Time for which answers that no client needs are remembered, so that clients can connect again. */
    static final Duration MEMORY = Duration.ofSeconds(60);
    /** Largest number of answers that no client needs. */
    private static final int MOST_UNNEEDED = 50;

    /** A view with its latest answer. */
    static final class Known {
        final Source source;
        /** The latest answer; null before the first read. */
        @Nullable Map<String, Object> values;
        /** Lowest event number from which a client can continue. The feed has known the values since that number. */
        long since;

        private long dueNanos;
        /** Latest time at which a client needed the view. */
        private long neededNanos;

        private Known(Source source, long now) {
            this.source = source;
            this.dueNanos = now;
        }
    }

    private final Clock clock;
    private final Map<View, Known> views = new LinkedHashMap<>();

    KnownViews(Clock clock) {
        this.clock = clock;
    }

    /** Returns a view; null if no client needs it, and none has needed it lately. */
    @Nullable Known get(View view) {
        return views.get(view);
    }

    boolean isEmpty() {
        return views.isEmpty();
    }

    /** Returns the views that a client needs now. */
    List<Known> needed(Subscriber subscriber) {
        long now = clock.monotonicNanos();
        List<Known> needed = new ArrayList<>();
        Stream.concat(
                        Source.ofNamespace().stream(),
                        subscriber.followed().stream().flatMap(job -> Source.ofJob(job).stream()))
                .forEach(source -> {
                    Known view = views.computeIfAbsent(source.view(), name -> new Known(source, now));
                    view.neededNanos = now;
                    needed.add(view);
                });
        return needed;
    }

    private Set<Known> needed(Collection<Subscriber> subscribers) {
        Set<Known> needed = new LinkedHashSet<>();
        subscribers.forEach(each -> needed.addAll(needed(each)));
        return needed;
    }

    /** Returns the views that clients need and that must be read now. */
    List<Known> due(Collection<Subscriber> subscribers) {
        long now = clock.monotonicNanos();
        return needed(subscribers).stream()
                .filter(each -> now - each.dueNanos >= 0)
                .toList();
    }

    /** Returns the time until the next view is due, or zero if there is none. */
    Duration untilDue(Collection<Subscriber> subscribers) {
        long now = clock.monotonicNanos();
        return Duration.ofNanos(needed(subscribers).stream()
                .mapToLong(each -> Math.max(0, each.dueNanos - now))
                .min()
                .orElse(0));
    }

    /** Sets the time of the next read. Called after each read. */
    void read(Known view, Map<String, Object> values) {
        view.dueNanos = clock.monotonicNanos() + view.source.pause(values).toNanos();
    }

    /** Makes all views due, because their answers may be out of date. */
    void refresh() {
        long now = clock.monotonicNanos();
        views.values().forEach(view -> view.dueNanos = now);
    }

    /** Forgets answers that no client has needed for a while, and the oldest of the others if there are too many. */
    void forgetUnneeded(Collection<Subscriber> subscribers) {
        long now = clock.monotonicNanos();
        Set<Known> needed = needed(subscribers);
        List<Known> unneeded = views.values().stream()
                .filter(view -> !needed.contains(view))
                .sorted(Comparator.comparingLong((Known view) -> now - view.neededNanos))
                .toList();
        for (int i = 0; i < unneeded.size(); i++) {
            Known view = unneeded.get(i);
            if (i >= MOST_UNNEEDED || view.values == null || isOld(view)) {
                views.remove(view.source.view());
            }
        }
    }

    /** Returns whether no client has needed a view for a while. */
    boolean isOld(Known view) {
        return clock.monotonicNanos() - view.neededNanos > MEMORY.toNanos();
    }
}
