package io.ostraka.faults.simulation;

import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunRetried;
import io.ostraka.api.event.RunStarted;
import java.util.Map;
import java.util.TreeMap;

/** Counts the events of one instance while its process lives. */
final class Counts implements EventSubscriber {
    private final Map<String, Map<String, Long>> jobs = new TreeMap<>();

    /** Returns the number of events of each kind, by job. */
    Map<String, Map<String, Long>> read() {
        return jobs;
    }

    private void add(String job, String what, long times) {
        jobs.computeIfAbsent(job, key -> new TreeMap<>()).merge(what, times, Long::sum);
    }

    @Override
    public void on(Event event) {
        if (event instanceof RunStarted started) {
            add(started.job(), "started", 1);
        } else if (event instanceof RunRetried retried) {
            add(retried.job(), "retried", 1);
        } else if (event instanceof RunEnded ended) {
            add(ended.job(), "ended " + ended.outcome(), 1);
        } else if (event instanceof FiresSkipped skipped) {
            add(skipped.job(), "skipped " + skipped.reason(), skipped.count());
        } else if (event instanceof ItemTakenOver takenOver) {
            add(takenOver.job(), "failed over", 1);
        }
    }
}
