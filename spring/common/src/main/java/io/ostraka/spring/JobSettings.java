package io.ostraka.spring;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobField;
import io.ostraka.api.RetryPolicy;
import io.ostraka.spring.EffectiveConfiguration.Kind;
import io.ostraka.spring.EffectiveConfiguration.Source;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Determines the configuration of each job. The job's own properties take precedence over its annotation, the
 * annotation over {@code ostraka.defaults}, and {@code ostraka.defaults} over the defaults of the library. An attribute
 * of an annotation counts as not set if it has the default of the library. A property that is a map replaces the whole
 * map, but a property of the retries or of the schedule replaces only this part. Thread-safe.
 */
final class JobSettings {
    static final String JOBS = "ostraka.jobs";
    static final String DEFAULTS = "ostraka.defaults";
    private static final String SCHEDULE = "schedule";
    /** Field of an exception about the job's object, which no property sets. */
    private static final String CODE = "job";

    private final OstrakaProperties properties;
    private final PropertyPlaces places;

    JobSettings(OstrakaProperties properties, PropertyPlaces places) {
        this.properties = properties;
        this.places = places;
    }

    /**
     * Finds the properties of each job. If a key of the properties is the exact name of a job, it belongs to this job
     * alone.
     *
     * @param jobs names of jobs of the application
     * @param all true if these are all jobs of the application, so that each property must belong to one of them
     * @return keys below {@code ostraka.jobs}, by the names of the jobs that have properties
     * @throws InvalidPropertyException if properties belong to no job or could belong to several
     */
    Map<String, String> keys(Collection<String> jobs, boolean all) {
        Map<String, String> keys = new HashMap<>();
        for (String key : properties.jobs().keySet()) {
            List<String> named = named(key, jobs);
            if (named.isEmpty() && !all) {
                continue;
            }
            if (named.size() != 1) {
                throw new InvalidPropertyException(
                        "property " + JOBS + "." + key + places.below(group(key))
                                + (named.isEmpty()
                                        ? " names no job of this application; its jobs: "
                                                + (jobs.isEmpty() ? "none" : String.join(", ", jobs))
                                        : " could name several jobs; accepted: the exact name of one of them: "
                                                + String.join(", ", named)),
                        null);
            }
            keys.merge(named.get(0), key, (first, next) -> jobs.contains(next) ? next : first);
        }
        return keys;
    }

    /** Returns the jobs that a key can name: the one of exactly this name, or else those that {@link #names} accepts. */
    static List<String> named(String key, Collection<String> jobs) {
        return jobs.contains(key)
                ? List.of(key)
                : jobs.stream().filter(job -> names(key, job)).toList();
    }

    /** Returns whether a key below {@code ostraka.jobs} names a job. Ignores case and punctuation. */
    static boolean names(String key, String job) {
        return canonical(key).equals(canonical(job));
    }

    private static String group(String key) {
        return JOBS + "[" + key + "]"; // brackets, because a name may contain dots
    }

    /** Returns a name in lower case without punctuation, because environment variables show neither. */
    static String canonical(String name) {
        return name.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Determines the configuration of a job.
     *
     * @param key the job's key below {@code ostraka.jobs}; null if the job has no properties
     * @param definition annotation of the job; null if it has none
     * @param annotated name of the annotated class or method
     * @throws InvalidPropertyException if a property is not accepted
     * @throws JobConfigurationException if the annotation is not accepted
     */
    EffectiveConfiguration settle(
            String job, @Nullable String key, @Nullable JobDefinition definition, String annotated) {
        var draft = new Draft(job);
        draft.apply(DEFAULTS, Kind.DEFAULTS, properties.defaults());
        if (definition != null) {
            draft.apply(annotated, JobConfiguration.of(definition));
        }
        if (key != null) {
            draft.apply(
                    group(key),
                    Kind.PROPERTY,
                    Objects.requireNonNull(properties.jobs().get(key)));
        }
        return draft.build();
    }

    /**
     * Returns the exception for a field that is not accepted. If a property has set the field, the message names the
     * property.
     *
     * @param sources source of each field, by the name of the field
     */
    static RuntimeException placed(JobConfigurationException e, Map<String, Source> sources) {
        Source source = sources.getOrDefault(e.field(), Objects.requireNonNull(sources.get(SCHEDULE)));
        return source.kind() == Kind.ANNOTATION || e.field().equals(CODE)
                ? e
                : new InvalidPropertyException(e.getMessage() + " (" + source + ")", e);
    }

    /**
     * Checks that this application has the sharding strategy of a job. The leader, which may be another instance, needs
     * the strategy first at a later time, so without this check a wrong name would show only in the job's health.
     *
     * @param own the application's own configuration of the job
     * @param known types of the strategies that this application has
     * @throws InvalidPropertyException if a property names another strategy
     * @throws JobConfigurationException if the annotation names another strategy
     */
    static void requireStrategy(EffectiveConfiguration own, Collection<String> known) {
        String type = own.configuration().shardingStrategy();
        if (!known.contains(type)) {
            throw placed(
                    new JobConfigurationException(
                            own.configuration().jobName(), "shardingStrategy", type, "one of " + new TreeSet<>(known)),
                    own.sources());
        }
    }

    /** A configuration that is being built. Values that are applied later replace earlier ones. */
    private final class Draft {
        private final JobConfiguration.Builder builder;
        private final ScheduleDraft schedule = new ScheduleDraft(places);
        private final Map<String, Source> sources = new HashMap<>();
        private RetryPolicy retry = RetryPolicy.none();

        Draft(String job) {
            builder = JobConfiguration.newBuilder(job, 0);
            JobConfiguration.fields().forEach(field -> sources.put(field.name(), Source.LIBRARY));
        }

        void apply(String annotated, JobConfiguration annotation) {
            for (JobField<?> field : JobConfiguration.fields()) {
                Object value = annotation.value(field);
                if (!Objects.equals(value, field.unset())) {
                    set(field, value, new Source(Kind.ANNOTATION, annotated));
                }
            }
            schedule.apply(annotation.schedule());
        }

        void apply(String prefix, Kind kind, JobProperties layer) {
            for (JobField<?> field : JobConfiguration.fields()) {
                Function<JobProperties, @Nullable Object> reader = JobPropertyReaders.ALL.get(field.name());
                if (reader != null) {
                    Object value = read(reader, layer, prefix, field);
                    if (value != null) {
                        set(field, value, new Source(kind, places.of(prefix, field.name())));
                    }
                }
            }
            JobProperties.Retry parts = layer.retry();
            if (kind == Kind.PROPERTY && parts != null && parts.hasPauses() && retry.attempts() == 1) {
                throw new InvalidPropertyException(
                        "property " + places.of(prefix, "retry") + " has no effect, because retry attempts is 1;"
                                + " accepted: 2 or more attempts, or no other properties of retry",
                        null);
            }
            String place = schedule.apply(prefix, layer);
            if (place != null) {
                sources.put(SCHEDULE, new Source(kind, place));
            }
        }

        private @Nullable Object read(
                Function<JobProperties, @Nullable Object> reader,
                JobProperties layer,
                String prefix,
                JobField<?> field) {
            try {
                Object value = reader.apply(layer);
                return value instanceof JobProperties.Retry parts ? JobPropertyReaders.retry(parts, retry) : value;
            } catch (IllegalArgumentException e) {
                throw new InvalidPropertyException(
                        "property " + places.of(prefix, field.name()) + ": " + e.getMessage(), e);
            }
        }

        @SuppressWarnings("unchecked") // the value comes from the same field
        private void set(JobField<?> field, @Nullable Object value, Source source) {
            builder.set((JobField<Object>) field, value);
            sources.put(field.name(), source);
            if (value instanceof RetryPolicy policy) {
                retry = policy;
            }
        }

        EffectiveConfiguration build() {
            try {
                return new EffectiveConfiguration(
                        builder.schedule(schedule.build()).build(), sources);
            } catch (JobConfigurationException e) {
                throw placed(e, sources);
            }
        }
    }
}
