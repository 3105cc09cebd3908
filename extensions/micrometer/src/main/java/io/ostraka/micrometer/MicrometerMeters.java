package io.ostraka.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.ItemWaiting;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunEvent;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.RunRetried;
import io.ostraka.api.event.RunStarted;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Status;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the events and the load of an instance as Micrometer meters. The module's {@code README.md} lists the
 * meters. Tags contain the name of a job, an outcome, a reason, or the name of a pool of slots, but never an item, a
 * run or an instance. The number of time series therefore grows only with the number of jobs. To configure percentiles
 * and histograms, add a {@code MeterFilter} to the meter registry. Thread-safe.
 */
public final class MicrometerMeters implements EventSubscriber {
    static final String JOB = "job";
    private static final String NAMESPACE = "namespace";
    private static final String OUTCOME = "outcome";
    private static final String REASON = "reason";

    private final MeterRegistry registry;
    private final StatusMeters status;
    private volatile Tags tags;
    private final MeterProvider<Timer> run;
    private final MeterProvider<Timer> wait;
    private final MeterProvider<Timer> delay;
    private final MeterProvider<Counter> retries;
    private final MeterProvider<Counter> fenced;
    private final MeterProvider<Counter> misfires;
    private final MeterProvider<Counter> slotWaits;
    private final MeterProvider<Counter> skips;
    private final MeterProvider<Counter> failovers;
    /** Load of the instance that was started last; null before the first start. */
    private volatile @Nullable Supplier<Load> load;

    /** Creates meters in a registry. */
    public MicrometerMeters(MeterRegistry registry) {
        this(registry, Tags.empty());
    }

    /**
     * Creates meters with additional tags in a registry.
     *
     * @param registry meter registry that the meters are added to
     * @param tags tags that are added to every meter. If they contain no tag {@code namespace}, a tag with the
     *     namespace of the instance is added. Two instances of one namespace in one process need tags that distinguish
     *     them
     */
    public MicrometerMeters(MeterRegistry registry, Iterable<Tag> tags) {
        this.registry = registry;
        this.tags = Tags.of(tags);
        this.status = new StatusMeters(registry);
        run = timer("ostraka.job.run", "Running time of code, without the pauses between attempts");
        wait = timer("ostraka.job.wait", "Time from finding the item due to the start of its code");
        delay = timer("ostraka.job.delay", "Time from the scheduled instant to the start of the code");
        retries = counter("ostraka.job.retries", "Attempts after the first");
        fenced = counter("ostraka.job.fenced", "Runs without effect, because another instance owned the item");
        misfires = counter("ostraka.job.misfires", "Fires that ran late because of the misfire policy");
        slotWaits = counter("ostraka.job.slot.waits", "Fires of items that found no free slot when they were due");
        skips = counter("ostraka.job.skips", "Fires that were skipped");
        failovers = counter("ostraka.job.failovers", "Fires that ran again after another run had begun them");
    }

    private MeterProvider<Timer> timer(String name, String description) {
        return Timer.builder(name).description(description).withRegistry(registry);
    }

    private MeterProvider<Counter> counter(String name, String description) {
        return Counter.builder(name).description(description).withRegistry(registry);
    }

    @Override
    public void started(SubscriberContext context) {
        if (tags.stream().noneMatch(tag -> tag.getKey().equals(NAMESPACE))) {
            tags = tags.and(NAMESPACE, context.namespace());
        }
        boolean restarted = load != null;
        load = context::load;
        if (!restarted) {
            register(() -> Objects.requireNonNull(load).get());
        }
    }

    private void register(Supplier<Load> load) {
        load.get().slots().keySet().forEach(name -> slots(() -> slots(load.get(), name), tags.and("pool", name)));
        workers(() -> load.get().workers());
        serialExecutors(() -> load.get().serialExecutors());
        engineThreads(() -> load.get().engineThreads());
        Supplier<Load.Events> events = () -> load.get().events();
        gauge(
                "ostraka.events.waiting",
                "events",
                "Events that wait for a subscriber",
                tags,
                events,
                Load.Events::waiting);
        count(
                "ostraka.events.dropped",
                "events",
                "Events that a full queue refused",
                tags,
                events,
                Load.Events::dropped);
    }

    private void slots(Supplier<Load.Slots> of, Tags all) {
        String slots = "ostraka.slots.";
        gauge(slots + "size", "runs", "Number of slots", all, of, Load.Slots::size);
        gauge(slots + "taken", "runs", "Slots in use", all, of, Load.Slots::taken);
        gauge(slots + "taken.max", "runs", "Most slots in use at the same time", all, of, Load.Slots::largestTaken);
        gauge(slots + "waiting", "requests", "Requests that wait for a slot", all, of, Load.Slots::waiting);
        count(slots + "completed", "runs", "Slots released", all, of, Load.Slots::completed);
    }

    private void workers(Supplier<Load.Workers> of) {
        String workers = "ostraka.workers.";
        String most = "Most threads that ran users' code at the same time";
        gauge(workers + "active", "threads", "Threads that run users' code", tags, of, Load.Workers::active);
        gauge(workers + "active.max", "threads", most, tags, of, Load.Workers::largest);
        count(workers + "completed", "tasks", "Tasks that workers have ended", tags, of, Load.Workers::completed);
        gauge(workers + "pool.size", "threads", "Number of worker threads", tags, of, Load.Workers::poolSize);
        String largest = "Largest number of worker threads";
        gauge(workers + "pool.size.max", "threads", largest, tags, of, Load.Workers::largestPoolSize);
    }

    private void serialExecutors(Supplier<Load.SerialExecutors> of) {
        String all = "ostraka.serial.executors.";
        String ended = "Tasks that serial executors have ended";
        String waiting = "Tasks that wait in all serial executors";
        String most = "Most tasks that waited in one serial executor";
        gauge(all + "active", "executors", "Serial executors with a task", tags, of, Load.SerialExecutors::active);
        gauge(all + "queued", "tasks", waiting, tags, of, Load.SerialExecutors::queued);
        gauge(all + "queued.max", "tasks", most, tags, of, Load.SerialExecutors::longest);
        count(all + "completed", "tasks", ended, tags, of, Load.SerialExecutors::completed);
    }

    private void engineThreads(Supplier<Load.Pool> of) {
        String all = "ostraka.engine.threads.";
        String ended = "Turns of serial executors that have ended";
        String number = "Number of threads for serial executors";
        String most = "Largest number of threads for serial executors";
        gauge(all + "active", "threads", "Threads that run tasks of serial executors", tags, of, Load.Pool::active);
        gauge(all + "queued", "turns", "Serial executors that wait for a thread", tags, of, Load.Pool::queued);
        count(all + "completed", "turns", ended, tags, of, Load.Pool::completed);
        gauge(all + "pool.size", "threads", number, tags, of, Load.Pool::size);
        gauge(all + "pool.size.max", "threads", most, tags, of, Load.Pool::largestSize);
    }

    private static Load.Slots slots(Load load, String name) {
        return load.slots().getOrDefault(name, new Load.Slots(0, 0, 0, 0, 0));
    }

    private <T> void gauge(
            String name, String unit, String description, Tags all, Supplier<T> of, ToDoubleFunction<T> value) {
        Gauge.builder(name, () -> value.applyAsDouble(of.get()))
                .description(description)
                .baseUnit(unit)
                .tags(all)
                .register(registry);
    }

    private <T> void count(
            String name, String unit, String description, Tags all, Supplier<T> of, ToDoubleFunction<T> value) {
        // the registry has only a weak reference to this object; the instance has a strong one
        FunctionCounter.builder(name, this, self -> value.applyAsDouble(of.get()))
                .description(description)
                .baseUnit(unit)
                .tags(all)
                .register(registry);
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
            wait.withTags(tags.and(JOB, started.job())).record(started.waited());
            if (started.delay() != null) {
                delay.withTags(tags.and(JOB, started.job())).record(started.delay());
            }
        } else if (event instanceof RunEnded ended) {
            run.withTags(tags.and(JOB, ended.job(), OUTCOME, value(ended.outcome())))
                    .record(ended.ran());
        } else if (event instanceof RunRetried retried) {
            retries.withTags(tags.and(JOB, retried.job())).increment();
        } else if (event instanceof RunFenced run) {
            fenced.withTags(tags.and(JOB, run.job())).increment();
        } else if (event instanceof ItemClaimed claimed && claimed.misfired()) {
            misfires.withTags(tags.and(JOB, claimed.job())).increment();
        } else if (event instanceof ItemTakenOver takenOver) {
            failovers
                    .withTags(tags.and(JOB, takenOver.job(), REASON, value(takenOver.reason())))
                    .increment();
        } else if (event instanceof FiresSkipped skipped) {
            skips.withTags(tags.and(JOB, skipped.job(), REASON, value(skipped.reason())))
                    .increment(skipped.count());
        } else if (event instanceof ItemWaiting waiting) {
            slotWaits.withTags(tags.and(JOB, waiting.job())).increment();
        }
    }

    @Override
    public void status(Status latest) {
        status.update(latest, tags);
    }

    static String value(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
