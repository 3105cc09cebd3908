package io.ostraka.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.metrics.Status;
import io.ostraka.api.metrics.TaskMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Meters of the state of the jobs. A meter exists only while the instance knows its value, so the meters of the leader
 * disappear from the registry when the instance no longer leads. {@link #update} must not be called concurrently.
 */
final class StatusMeters {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String SECONDS = "seconds";
    private static final String KIND = "kind";
    private static final String OUTCOME = "outcome";

    private final MeterRegistry registry;
    private final Map<Key, Registered> meters = new HashMap<>();

    private record Key(String name, Tags tags) {}

    private record Registered(Value value, Meter meter) {}

    /** Latest value of a meter. */
    private static final class Value {
        volatile double latest;

        double get() {
            return latest;
        }
    }

    /** One update of the meters. It collects the meters that have a value, and finally removes all others. */
    private final class Update {
        private final Set<Key> present = new HashSet<>();

        void seconds(String name, String description, Tags tags, Duration value) {
            gauge(name, SECONDS, description, tags, value.toNanos() / NANOS_PER_SECOND);
        }

        void timestamp(String name, String description, Tags tags, @Nullable Instant value) {
            if (value != null) {
                gauge(name, SECONDS, description, tags, value.toEpochMilli() / 1e3);
            }
        }

        void flag(String name, String description, Tags tags, boolean value) {
            gauge(name, null, description, tags, value ? 1 : 0);
        }

        void gauge(String name, @Nullable String unit, String description, Tags tags, double latest) {
            value(new Key(name, tags), latest, value -> Gauge.builder(name, value, Value::get)
                    .strongReference(true)
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry));
        }

        void count(String name, String description, Tags tags, double latest) {
            // the registry has only a weak reference to the value; the map of this object has a strong one
            value(new Key(name, tags), latest, value -> FunctionCounter.builder(name, value, Value::get)
                    .description(description)
                    .tags(tags)
                    .register(registry));
        }

        private void value(Key key, double latest, Function<Value, Meter> register) {
            present.add(key);
            Registered known = meters.get(key);
            if (known != null) {
                known.value.latest = latest;
                return;
            }
            Value value = new Value();
            value.latest = latest;
            meters.put(key, new Registered(value, register.apply(value)));
        }

        void end() {
            meters.entrySet().removeIf(entry -> {
                boolean gone = !present.contains(entry.getKey());
                if (gone) {
                    registry.remove(entry.getValue().meter);
                }
                return gone;
            });
        }
    }

    StatusMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Registers or updates the meters of a state, and removes earlier meters that no longer have a value.
     *
     * @param tags tags of all meters
     */
    void update(Status status, Tags tags) {
        Update update = new Update();
        if (status != Status.NONE) {
            update.flag("ostraka.leader", "1 if the instance leads the namespace", tags, status.leader());
        }
        status.hosted().forEach((job, hosted) -> hosted(update, hosted, tags.and(MicrometerMeters.JOB, job)));
        status.led().forEach((job, led) -> led(update, led, tags.and(MicrometerMeters.JOB, job)));
        if (status.leader()) {
            for (AlarmKind kind : AlarmKind.values()) {
                if (!kind.isOfJob()) {
                    update.flag(
                            "ostraka.alarm",
                            "1 while an alarm of the namespace lasts",
                            tags.and(KIND, MicrometerMeters.value(kind)),
                            status.alarms().contains(kind));
                }
            }
        }
        update.end();
    }

    private static void hosted(Update update, Status.Hosted hosted, Tags tags) {
        update.timestamp(
                "ostraka.job.last.success.timestamp", "End of the latest successful run", tags, hosted.lastSuccess());
        update.gauge(
                "ostraka.job.failures.in.row",
                null,
                "Largest number of failed fires of an item in a row",
                tags,
                hosted.failuresInRow());
        update.seconds("ostraka.job.running.max", "Age of the oldest run", tags, hosted.longestRun());
        update.flag("ostraka.job.paused", "1 while the job is paused", tags, hosted.paused());
        if (hosted.tasks().submitted() > 0) {
            tasks(update, hosted.tasks(), tags);
        }
    }

    private static void tasks(Update update, TaskMetrics tasks, Tags tags) {
        update.gauge("ostraka.job.tasks.waiting", null, "Child tasks that wait", tags, tasks.waiting());
        update.gauge("ostraka.job.tasks.running", null, "Child tasks that run", tags, tasks.running());
        update.seconds(
                "ostraka.job.tasks.p95",
                "Run time of child tasks, 95th percentile of five minutes",
                tags,
                tasks.duration().p95());
        update.seconds(
                "ostraka.job.tasks.p99",
                "Run time of child tasks, 99th percentile of five minutes",
                tags,
                tasks.duration().p99());
        Map.of("succeeded", tasks.succeeded(), "failed", tasks.failed(), "cancelled", tasks.cancelled())
                .forEach((outcome, count) -> update.count(
                        "ostraka.job.tasks.ended", "Child tasks that have ended", tags.and(OUTCOME, outcome), count));
    }

    private static void led(Update update, Status.Led led, Tags tags) {
        update.timestamp(
                "ostraka.job.expected.timestamp", "Latest scheduled fire that should have begun", tags, led.expected());
        for (AlarmKind kind : AlarmKind.values()) {
            if (kind.isOfJob()) {
                update.flag(
                        "ostraka.job.alarm",
                        "1 while an alarm of the job lasts",
                        tags.and(KIND, MicrometerMeters.value(kind)),
                        led.alarms().contains(kind));
            }
        }
    }
}
