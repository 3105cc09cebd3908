package io.ostraka.spring;

import io.ostraka.api.JobConfiguration;
import java.util.Map;
import java.util.TreeMap;

/**
 * The configuration with which this application registers a job at present, and the source of each field. An operator's
 * override in ZooKeeper takes precedence over it. Immutable.
 *
 * @param configuration configuration of the job
 * @param sources source of each field, by the name of the field
 */
public record EffectiveConfiguration(JobConfiguration configuration, Map<String, Source> sources) {
    /** Copies the map. */
    public EffectiveConfiguration {
        sources = Map.copyOf(sources);
    }

    /** Returns the sources of the fields that do not have the default of the library, as text for the log. */
    String origin() {
        Map<String, Source> others = new TreeMap<>(sources);
        others.values().removeIf(Source.LIBRARY::equals);
        return others.isEmpty() ? "the defaults of the library" : others.toString();
    }

    /** Kinds of sources. If several sources set a field, the first kind in this order takes precedence. */
    public enum Kind {
        /** The platform, below {@code ostraka.remote}. */
        PLATFORM,
        /** A property of the job, below {@code ostraka.jobs}. */
        PROPERTY,
        /** The annotation of the job's class or method. */
        ANNOTATION,
        /** A property for all jobs, below {@code ostraka.defaults}. */
        DEFAULTS,
        /** The default of the library. */
        LIBRARY
    }

    /**
     * Source of a field's value.
     *
     * @param kind kind of the source
     * @param place for a platform, its address and the revision of its answer; for a property, its name and, if known,
     *     its file and line; for an annotation, the name of the annotated class or method; otherwise empty
     */
    public record Source(Kind kind, String place) {
        static final Source LIBRARY = new Source(Kind.LIBRARY, "");

        @Override
        public String toString() {
            return place.isEmpty() ? kind.toString() : kind + " " + place;
        }
    }
}
