package io.ostraka.core.metrics;

import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.ItemWaiting;
import io.ostraka.api.event.JobEvent;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunEvent;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.RunRetried;
import io.ostraka.api.event.RunStarted;
import io.ostraka.api.metrics.JobMetrics;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.api.metrics.Status;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Computes the metrics of an instance's jobs from the events of the instance. Thread-safe. Handling an event takes
 * little time and never blocks.
 */
public final class InstanceMeters implements EventSubscriber {
    private final LongSupplier monotonicNanos;
    private final Map<String, JobMeter> jobs = new ConcurrentHashMap<>();
    private final Map<String, TaskMeter> tasks = new ConcurrentHashMap<>();

    /**
     * Creates meters with all counts at zero.
     *
     * @param monotonicNanos monotonic clock in nanoseconds, by which histograms assign each duration to a minute
     */
    public InstanceMeters(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
    }

    /**
     * Returns the current metrics of all jobs.
     *
     * @param load the instance's load, which is included in the result
     * @param status state of the jobs, which is included in the result
     */
    public Metrics read(Load load, Status status) {
        long now = monotonicNanos.getAsLong();
        Map<String, JobMetrics> read = new TreeMap<>();
        jobs.forEach((name, job) -> read.put(name, job.read(now)));
        return new Metrics(read, load, status);
    }

    /** Removes the metrics of a job that this instance no longer hosts. */
    public void forget(String job) {
        jobs.remove(job);
        tasks.remove(job);
    }

    /** Returns the meter of a job's child tasks. */
    public TaskMeter tasks(String job) {
        return tasks.computeIfAbsent(job, first -> new TaskMeter(monotonicNanos));
    }

    private JobMeter of(JobEvent event) {
        return jobs.computeIfAbsent(event.job(), key -> new JobMeter());
    }

    @Override
    public boolean receives(Class<? extends Event> kind) {
        return (RunEvent.class.isAssignableFrom(kind) && kind != RunRecorded.class)
                || kind == FiresSkipped.class
                || kind == ItemWaiting.class;
    }

    @Override
    public void on(Event event) {
        if (event instanceof RunStarted started) {
            long now = monotonicNanos.getAsLong();
            of(started).waiting.add(started.waited().toNanos(), now);
            if (started.delay() != null) {
                of(started).delay.add(started.delay().toNanos(), now);
            }
        } else if (event instanceof RunEnded ended) {
            of(ended).running.add(ended.ran().toNanos(), monotonicNanos.getAsLong());
            of(ended).ended.add(ended.outcome(), 1);
        } else if (event instanceof RunRetried retried) {
            of(retried).retries.increment();
        } else if (event instanceof RunFenced fenced) {
            of(fenced).fenced.increment();
        } else if (event instanceof ItemClaimed claimed && claimed.misfired()) {
            of(claimed).misfires.increment();
        } else if (event instanceof ItemTakenOver takenOver) {
            of(takenOver).failovers.add(takenOver.reason(), 1);
        } else if (event instanceof FiresSkipped skipped) {
            of(skipped).skips.add(skipped.reason(), skipped.count());
        } else if (event instanceof ItemWaiting waiting) {
            of(waiting).slotWaits.increment();
        }
    }
}
