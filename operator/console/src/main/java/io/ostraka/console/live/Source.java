package io.ostraka.console.live;

import com.google.gson.JsonObject;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.live.LiveEvent.Plain;
import io.ostraka.console.live.LiveEvent.Plain.Scope;
import io.ostraka.console.live.SharedViews.View;
import io.ostraka.core.tree.ValueJson;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A view that a feed reads repeatedly, with the function that turns the differences between two answers into events.
 *
 * @param view the view
 * @param job the job of the view; null if it covers the namespace
 * @param period time between two reads
 * @param reader reads the view
 * @param byKey returns the values in an answer, by key
 * @param differences returns the events that lead from one answer to the next
 */
record Source(
        View view,
        @Nullable String job,
        Duration period,
        Function<Operations, Object> reader,
        Function<Object, Map<String, Object>> byKey,
        Differences differences) {
    /** Number of items up to which a view is read at its full pace. */
    private static final int ITEMS_AT_FULL_PACE = 1_000;

    /** Period of the lists that show where items run. A departed instance disappears from them within two seconds. */
    private static final Duration PLACEMENT = Duration.ofSeconds(1);

    private static final Duration OTHERS = Duration.ofSeconds(2);

    /** Returns the events that lead from one answer to the next. */
    interface Differences {
        List<LiveEvent> between(Map<String, Object> before, Map<String, Object> now);
    }

    /** Returns an event for a value that is new or has changed. */
    private interface Changed<T> {
        LiveEvent event(@Nullable T before, T now);
    }

    /**
     * Returns the values for a read that failed. If the job does not exist or permits no view, there are no values.
     *
     * @return null if the failure has another cause
     */
    @Nullable Map<String, Object> valuesOf(RuntimeException failure) {
        return job != null
                        && failure instanceof CoordinationException refused
                        && refused.kind() != CoordinationException.Kind.UNAVAILABLE
                ? Map.of()
                : null;
    }

    /** Returns the time until the next read. A job with many items is read less often. */
    Duration pause(Map<String, Object> answer) {
        return period.multipliedBy(1 + answer.size() / ITEMS_AT_FULL_PACE);
    }

    /** Returns whether items have moved or instances have gone, so that earlier answers of other views are wrong. */
    static boolean moved(Map<String, Object> before, Map<String, Object> now) {
        return !placement(before).equals(placement(now));
    }

    private static Map<String, Object> placement(Map<String, Object> values) {
        Map<String, Object> placement = new HashMap<>();
        values.forEach((key, value) -> {
            if (value instanceof JobSummary job) {
                placement.put(key, job.owners());
            } else if (value instanceof InstanceDetails instance) {
                placement.put(key, List.of(instance.state(), instance.items()));
            }
        });
        return placement;
    }

    /** Returns the views that a feed reads for every client. */
    static List<Source> ofNamespace() {
        return List.of(jobs(), instances(), alarms(), namespace()); // jobs and instances come from the same read
    }

    /** Returns the views that a feed reads for clients that follow the items of a job. */
    static List<Source> ofJob(String job) {
        return List.of(items(job), activity(job));
    }

    private static Source jobs() {
        return new Source(
                new View("jobs", List.of()),
                null,
                PLACEMENT,
                Operations::jobs,
                values(JobSummary.class, JobSummary::job),
                differences(
                        JobSummary.class,
                        Source::withoutTime,
                        (before, now) -> new Plain("job", "job " + now.job(), json(now), Scope.VIEWERS, now.job()),
                        gone -> new Plain(
                                "job-removed",
                                "job " + gone.job(),
                                json("job", gone.job()),
                                Scope.VIEWERS,
                                gone.job())));
    }

    private static Source alarms() {
        return new Source(
                new View("alarms", List.of()),
                null,
                OTHERS,
                Operations::alarms,
                values(AlarmDetails.class, AlarmDetails::id),
                differences(
                        AlarmDetails.class,
                        alarm -> alarm,
                        (before, now) -> new Plain("alarm", "alarm " + now.id(), json(now), Scope.VIEWERS, now.job()),
                        gone -> new Plain(
                                "alarm-removed",
                                "alarm " + gone.id(),
                                json("id", gone.id()),
                                Scope.VIEWERS,
                                gone.job())));
    }

    private static Source instances() {
        return new Source(
                new View("instances", List.of()),
                null,
                PLACEMENT,
                Operations::instances,
                values(InstanceDetails.class, each -> each.instance().id()),
                differences(
                        InstanceDetails.class,
                        instance -> instance,
                        LiveEvent.Instance::new,
                        gone -> new Plain(
                                "instance-removed",
                                LiveEvent.Instance.subject(gone.instance().id()),
                                json("instance", gone.instance().id()),
                                Scope.EVERYONE,
                                null)));
    }

    private static Source namespace() {
        return new Source(
                new View("namespace", List.of()),
                null,
                OTHERS,
                Operations::namespace,
                answer -> Map.of("", answer),
                differences(
                        NamespaceDetails.class,
                        Source::withoutTime,
                        (before, now) -> new Plain("namespace", "namespace", json(now), Scope.EVERYONE, null),
                        gone -> {
                            throw new IllegalStateException("a namespace always has a state");
                        }));
    }

    private static Source items(String job) {
        return new Source(
                new View("items", List.of(job, List.of())),
                job,
                OTHERS,
                operations -> operations.items(job, List.of()),
                values(ItemDetails.class, ItemDetails::item),
                (before, now) -> {
                    Map<String, ItemDetails> changed = new LinkedHashMap<>();
                    now.forEach((key, item) -> {
                        if (!item.equals(before.get(key))) {
                            changed.put(key, (ItemDetails) item);
                        }
                    });
                    List<String> removed = before.keySet().stream()
                            .filter(key -> !now.containsKey(key))
                            .toList();
                    return changed.isEmpty() && removed.isEmpty()
                            ? List.of()
                            : List.of(new LiveEvent.Items(job, changed, new TreeSet<>(removed), false));
                });
    }

    private static Source activity(String job) {
        return new Source(
                new View("activity", List.of(job)),
                job,
                OTHERS,
                operations -> operations.activity(List.of(job)),
                values(JobActivity.class, JobActivity::job),
                differences(
                        JobActivity.class,
                        activity -> activity,
                        (before, now) -> new Plain("activity", "activity " + job, json(now), Scope.FOLLOWERS, job),
                        gone -> new Plain(
                                "activity-removed", "activity " + job, json("job", job), Scope.FOLLOWERS, job)));
    }

    /**
     * Returns differences by value.
     *
     * @param compared returns the part of a value that counts as a change
     * @param removed returns an event for a value that no longer exists
     */
    private static <T> Differences differences(
            Class<T> type, Function<T, T> compared, Changed<T> changed, Function<T, LiveEvent> removed) {
        return (before, now) -> {
            List<LiveEvent> events = new ArrayList<>();
            now.forEach((key, value) -> {
                T is = type.cast(value);
                T was = type.cast(before.get(key));
                if (was == null || !compared.apply(was).equals(compared.apply(is))) {
                    events.add(changed.event(was, is));
                }
            });
            before.forEach((key, value) -> {
                if (!now.containsKey(key)) {
                    events.add(removed.apply(type.cast(value)));
                }
            });
            return events;
        };
    }

    /** Returns a job without the time of the view, which changes with every read. */
    private static JobSummary withoutTime(JobSummary job) {
        return new JobSummary(
                job.job(),
                job.state(),
                job.stateText(),
                job.health(),
                job.schedule(),
                job.items(),
                job.owners(),
                job.nextFire(),
                job.triggers(),
                Instant.EPOCH);
    }

    /** Returns a namespace without the time of the view, which changes with every read. */
    private static NamespaceDetails withoutTime(NamespaceDetails namespace) {
        return new NamespaceDetails(
                namespace.leader(),
                namespace.instances(),
                namespace.jobs(),
                namespace.frozen(),
                namespace.drained(),
                namespace.version(),
                namespace.problem(),
                Instant.EPOCH);
    }

    /** Returns a function from a list of values to these values by key. */
    private static <T> Function<Object, Map<String, Object>> values(Class<T> type, Function<T, String> key) {
        return answer -> {
            Map<String, Object> map = new LinkedHashMap<>();
            for (Object each : (List<?>) answer) {
                T value = type.cast(each);
                map.put(key.apply(value), value);
            }
            return map;
        };
    }

    private static String json(Object value) {
        return ValueJson.write(value).toString();
    }

    private static String json(String name, String value) {
        JsonObject json = new JsonObject();
        json.addProperty(name, value);
        return json.toString();
    }
}
