package io.ostraka.spring;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobField;
import io.ostraka.spring.EffectiveConfiguration.Kind;
import io.ostraka.spring.EffectiveConfiguration.Source;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides the configuration of each job: its own properties take precedence over its annotation, the annotation over
 * {@code ostraka.defaults}, and these over the defaults of the library. An annotation counts as silent about a field that
 * has the library's default there. Thread-safe.
 */
final class JobSettings {
    static final String JOBS = "ostraka.jobs";
    static final String DEFAULTS = "ostraka.defaults";
    private static final String SCHEDULE = "schedule";

    private final OstrakaProperties properties;
    private final PropertyPlaces places;

    JobSettings(OstrakaProperties properties, PropertyPlaces places) {
        this.properties = properties;
        this.places = places;
    }

    /**
     * Checks that all properties belong to a job.
     *
     * @param jobs names of all jobs of the application
     * @throws InvalidPropertyException if there are properties for another job
     */
    void requireKnown(Collection<String> jobs) {
        Set<String> known = jobs.stream().map(JobSettings::canonical).collect(Collectors.toSet());
        for (String key : properties.jobs().keySet()) {
            if (!known.contains(canonical(key))) {
                throw new InvalidPropertyException(
                        "property " + JOBS + "." + key + places.below(JOBS + "." + key)
                                + " names no job of this application; its jobs: "
                                + (jobs.isEmpty() ? "none" : String.join(", ", jobs)),
                        null);
            }
        }
    }

    /** Removes capitals and punctuation, because names of jobs in environment variables lack them. */
    private static String canonical(String job) {
        return job.replaceAll("[^A-Za-z0-9]", "").toLowerCase(Locale.ROOT);
    }

    /**
     * Decides the configuration of a job.
     *
     * @param definition annotation of the job; null if it has none
     * @param annotated name of the annotated class or method
     * @throws InvalidPropertyException if a property is not accepted
     * @throws JobConfigurationException if the annotation is not accepted
     */
    EffectiveConfiguration settle(String job, @Nullable JobDefinition definition, String annotated) {
        var draft = new Draft(job);
        draft.apply(DEFAULTS, Kind.DEFAULTS, properties.defaults());
        if (definition != null) {
            draft.apply(annotated, JobConfiguration.of(definition));
        }
        String key = properties.jobs().containsKey(job)
                ? job
                : properties.jobs().keySet().stream()
                        .filter(each -> canonical(each).equals(canonical(job)))
                        .findFirst()
                        .orElse(null);
        if (key != null) {
            draft.apply(
                    JOBS + "." + key,
                    Kind.PROPERTY,
                    Objects.requireNonNull(properties.jobs().get(key)));
        }
        return draft.build();
    }

    /** A configuration in the making. Values that are applied later replace earlier ones. */
    private final class Draft {
        private final JobConfiguration.Builder builder;
        private final ScheduleDraft schedule = new ScheduleDraft(places);
        private final Map<String, Source> sources = new HashMap<>();

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
                    Source source = new Source(kind, places.of(prefix, field.name()));
                    Object value = read(reader, layer, source);
                    if (value != null) {
                        set(field, value, source);
                    }
                }
            }
            String place = schedule.apply(prefix, layer);
            if (place != null) {
                sources.put(SCHEDULE, new Source(kind, place));
            }
        }

        private static @Nullable Object read(
                Function<JobProperties, @Nullable Object> reader, JobProperties layer, Source source) {
            try {
                return reader.apply(layer);
            } catch (IllegalArgumentException e) {
                throw new InvalidPropertyException("property " + source.place() + ": " + e.getMessage(), e);
            }
        }

        @SuppressWarnings("unchecked") // the value comes from the same field
        private void set(JobField<?> field, @Nullable Object value, Source source) {
            builder.set((JobField<Object>) field, value);
            sources.put(field.name(), source);
        }

        EffectiveConfiguration build() {
            try {
                return new EffectiveConfiguration(
                        builder.schedule(schedule.build()).build(), sources);
            } catch (JobConfigurationException e) {
                Source source = sources.getOrDefault(e.field(), Objects.requireNonNull(sources.get(SCHEDULE)));
                if (source.kind() == Kind.ANNOTATION) {
                    throw e;
                }
                throw new InvalidPropertyException(e.getMessage() + " (" + source + ")", e);
            }
        }
    }
}
