package io.ostraka.remote;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.tree.ValueJson;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Defines the jobs and fields that a platform may configure, and combines the answers with the application's own
 * configurations. Immutable.
 *
 * @param local the application's own configurations of its jobs, by name
 * @param jobs patterns of names of the jobs that the platform configures
 * @param fields names of the fields that the platform may set
 */
record JobRules(Map<String, JobConfiguration> local, Collection<String> jobs, Set<String> fields) {
    static final String REVISION = "revision";
    private static final String PAUSE_REASON = "pauseReason";

    /**
     * Fields that a platform may never set. The first two name code. Only an operator may change the fence epoch: it
     * can never decrease, so a mistake could not be undone.
     */
    private static final Set<String> NEVER = Set.of("errorHandler", "shardingStrategy", "fenceEpoch");

    private static final Map<String, JobField<?>> ALL = JobConfiguration.fields().stream()
            .filter(JobRules::isRemote)
            .collect(Collectors.toMap(JobField::name, field -> field, (a, b) -> a, TreeMap::new));

    private static boolean isRemote(JobField<?> field) {
        return (field.isOverridable() && !NEVER.contains(field.name()))
                || field.name().equals(PAUSE_REASON);
    }

    JobRules {
        local = Map.copyOf(local);
        for (String name : fields) {
            requireField(name);
        }
    }

    /** Returns the names of all fields that a platform may set if the application allows them. */
    static Set<String> allFields() {
        return new TreeSet<>(ALL.keySet());
    }

    private static void requireField(String name) {
        if (!ALL.containsKey(name)) {
            throw new IllegalArgumentException(
                    "'" + name + "' is no field that a platform may set; accepted: " + ALL.keySet());
        }
    }

    boolean configures(String job) {
        return jobs.stream().anyMatch(pattern -> matches(pattern, job));
    }

    private static boolean matches(String pattern, String job) {
        return pattern.endsWith("*") ? job.startsWith(pattern.substring(0, pattern.length() - 1)) : job.equals(pattern);
    }

    /**
     * Effective configuration of a job.
     *
     * @param effective the application's configuration with the values of the platform
     * @param fields names of the fields that the platform has set
     */
    record Merged(JobConfiguration effective, Set<String> fields) {}

    /**
     * Combines an answer with the application's own configuration. Either all jobs are accepted or none.
     *
     * @return configurations of all jobs that the platform configures, by name
     * @throws RefusedAnswerException if the answer has a job or a field that is not allowed, or a value that is not
     *     accepted
     */
    Map<String, Merged> merge(Answer answer) {
        answer.jobs().forEach((name, settings) -> {
            if (!configures(name)) {
                throw new RefusedAnswerException(
                        "job '" + Json.shown(name) + "' is not allowed; accepted: " + new TreeSet<>(jobs));
            }
            requireFields(name, settings);
        });
        Map<String, Merged> merged = new TreeMap<>();
        local.forEach((name, own) -> {
            if (configures(name)) {
                JsonObject settings = answer.jobs().get(name);
                merged.put(name, settings == null ? absent(own, answer) : merged(own, settings, answer));
            }
        });
        return merged;
    }

    private void requireFields(String job, JsonObject settings) {
        for (String name : settings.keySet()) {
            if (!name.equals(REVISION) && !fields.contains(name)) {
                throw new RefusedAnswerException("job '" + job + "', field '" + Json.shown(name)
                        + "' is not allowed; accepted: " + REVISION + ", " + String.join(", ", new TreeSet<>(fields)));
            }
        }
    }

    private static Merged absent(JobConfiguration own, Answer answer) {
        requireAbove(own, answer.revision());
        JobConfiguration paused = own.toBuilder()
                .paused(true)
                .pauseReason("revision " + answer.revision() + " of the platform does not define the job")
                .revision(answer.revision())
                .build();
        return new Merged(paused, Set.of("paused", PAUSE_REASON, REVISION));
    }

    private static Merged merged(JobConfiguration own, JsonObject settings, Answer answer) {
        String job = own.jobName();
        JobConfiguration.Builder builder = own.toBuilder();
        Map<String, JsonElement> values = new LinkedHashMap<>(settings.asMap());
        values.remove(REVISION);
        long revision = settings.has(REVISION)
                ? Json.number("job '" + job + "'", settings, REVISION, 1, answer.revision())
                : answer.revision();
        requireAbove(own, revision);
        Set<String> set = new TreeSet<>(Set.of(REVISION));
        values.forEach((name, value) -> {
            set(builder, job, name, value);
            set.add(name);
        });
        try {
            JobConfiguration effective = builder.revision(revision).build();
            FireSchedules.validate(job, effective.schedule());
            return new Merged(effective, set);
        } catch (JobConfigurationException e) {
            throw RefusedAnswerException.of(e);
        }
    }

    /**
     * Refuses a revision that is not higher than the application's own, because the application's definition would then
     * stay in effect.
     */
    private static void requireAbove(JobConfiguration own, long revision) {
        if (revision <= own.revision()) {
            throw new RefusedAnswerException("job '" + own.jobName() + "' has revision " + revision
                    + " on the platform and revision " + own.revision() + " in the application; accepted: a revision of"
                    + " the platform above " + own.revision() + ", or no revision in the application");
        }
    }

    @SuppressWarnings("unchecked") // the value was read with the type of the same field
    private static void set(JobConfiguration.Builder builder, String job, String name, JsonElement value) {
        JobField<Object> field = (JobField<Object>) ALL.get(name);
        if (field == null) {
            throw new IllegalStateException("the field " + name + " was checked before");
        }
        try {
            builder.set(field, ValueJson.read(field, value));
        } catch (RuntimeException e) {
            throw new RefusedAnswerException("job '" + job + "', field '" + name + "': " + reason(e), e);
        }
    }

    /**
     * Returns the message of the check that refused a value. The JSON library wraps the exception of the check in
     * others.
     */
    private static String reason(Throwable e) {
        Throwable reason = e;
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            boolean check = cause instanceof IllegalArgumentException || cause instanceof OstrakaException;
            reason = check && cause.getMessage() != null ? cause : reason;
        }
        return String.valueOf(reason.getMessage());
    }
}
