package io.ostraka.core.meter;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.metrics.JobMetrics;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Meters;
import io.ostraka.api.metrics.Metrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps an instance's own figures, and tells all that it is told to further meters. Thread-safe. */
public final class MeterBook implements Meters {
    private static final Logger log = LoggerFactory.getLogger(MeterBook.class);

    private final LongSupplier monotonicNanos;
    private final List<Further> further;
    private final Map<String, JobMeter> jobs = new ConcurrentHashMap<>();

    /** Meters of others, which may do anything. */
    private record Further(Meters meters, AtomicBoolean failed) {
        void tell(Consumer<Meters> event) {
            try {
                event.accept(meters);
            } catch (Throwable e) { // users' code
                if (failed.compareAndSet(false, true)) {
                    log.error(
                            "meters {} failed; what they count is incomplete, and this is said once",
                            meters.getClass().getName(),
                            e);
                }
            }
        }
    }

    /**
     * Begins.
     *
     * @param monotonicNanos the time that the last minutes are counted by
     * @param further meters to be told as well
     */
    public MeterBook(LongSupplier monotonicNanos, List<Meters> further) {
        this.monotonicNanos = monotonicNanos;
        this.further = further.stream()
                .map(meters -> new Further(meters, new AtomicBoolean()))
                .toList();
    }

    /** Returns what was measured so far. */
    public Metrics read(Load load) {
        long now = monotonicNanos.getAsLong();
        Map<String, JobMetrics> read = new TreeMap<>();
        jobs.forEach((name, job) -> read.put(name, job.read(now)));
        return new Metrics(read, load);
    }

    /** Forgets the figures of a job that this instance no longer hosts; what further meters keep is theirs. */
    public void forget(String job) {
        jobs.remove(job);
    }

    private JobMeter job(String name) {
        return jobs.computeIfAbsent(name, key -> new JobMeter());
    }

    private void pass(Consumer<Meters> event) {
        for (Further each : further) {
            each.tell(event);
        }
    }

    @Override
    public void began(Supplier<Load> load) {
        pass(meters -> meters.began(load));
    }

    @Override
    public void started(String job, Duration waited, Optional<Duration> delay) {
        long now = monotonicNanos.getAsLong();
        job(job).waiting.add(waited.toNanos(), now);
        delay.ifPresent(late -> job(job).delay.add(late.toNanos(), now));
        pass(meters -> meters.started(job, waited, delay));
    }

    @Override
    public void retried(String job) {
        job(job).retries.increment();
        pass(meters -> meters.retried(job));
    }

    @Override
    public void ended(String job, ItemOutcome outcome, Duration ran) {
        job(job).running.add(ran.toNanos(), monotonicNanos.getAsLong());
        job(job).ended.add(outcome, 1);
        pass(meters -> meters.ended(job, outcome, ran));
    }

    @Override
    public void fenced(String job) {
        job(job).fenced.increment();
        pass(meters -> meters.fenced(job));
    }

    @Override
    public void misfired(String job) {
        job(job).misfires.increment();
        pass(meters -> meters.misfired(job));
    }

    @Override
    public void placeless(String job) {
        job(job).placeless.increment();
        pass(meters -> meters.placeless(job));
    }

    @Override
    public void skipped(String job, SkipReason reason, long fires) {
        job(job).skips.add(reason, fires);
        pass(meters -> meters.skipped(job, reason, fires));
    }

    @Override
    public void failedOver(String job, FailoverReason reason) {
        job(job).failovers.add(reason, 1);
        pass(meters -> meters.failedOver(job, reason));
    }
}
