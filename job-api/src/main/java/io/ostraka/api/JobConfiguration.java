package io.ostraka.api;

import io.ostraka.api.JobField.Group;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything about a job but its code. Immutable and thread-safe; made by {@link #newBuilder} or from the annotation of
 * a class by {@link #of}. What code registers is the job's definition; what an operator changes is kept apart from it.
 */
public final class JobConfiguration {
    /** The default of {@link #shardingStrategy()}: keeps items where they are and counts within one of each other. */
    public static final String DEFAULT_STRATEGY = ShardingStrategies.STICKY_BALANCED;

    /** The default of {@link #errorHandler()}: writes each failure to the log. */
    public static final String DEFAULT_ERROR_HANDLER = "LOG";

    /** What a job's name may be. */
    public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /** The largest item count. */
    public static final int MAX_ITEMS = 100_000;

    private static final String POSITIVE = "a positive duration of at most 36500 days";
    private static final String ZERO_OR_MORE = "0 or more";
    private static final String SPAN = "zero to 36500 days";
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?");
    private static final String LABELS_ACCEPTED =
            "up to 32 labels, their keys of 1 to 63 letters, digits and . _ - /, their values of"
                    + " up to 512 characters without line breaks";
    private static final int MOST_LABELS = 32;
    private static final int LONGEST_LABEL = 512;

    /** All that are declared below. */
    private static final List<JobField<?>> FIELDS = new ArrayList<>();

    // What the job is, and when it fires.
    private static final JobField<String> JOB_NAME = declare(Group.JOB, "jobName", String.class, "")
            .accepting(NAME.pattern(), name -> NAME.matcher(name).matches());
    private static final JobField<Integer> SHARDING_TOTAL_COUNT = declare(
                    Group.JOB, "shardingTotalCount", Integer.class, 0)
            .accepting("1 to " + MAX_ITEMS, count -> count >= 1 && count <= MAX_ITEMS);
    private static final JobField<Scope> SCOPE =
            declare(Group.JOB, "scope", Scope.class, Scope.SHARDED).leftOut();
    private static final JobField<Schedule> SCHEDULE =
            declare(Group.JOB, "schedule", Schedule.class, Schedule.onDemand());
    private static final JobField<Map<Integer, String>> SHARDING_ITEM_PARAMETERS =
            texts(Group.JOB, "shardingItemParameters", Integer.class);
    private static final JobField<String> JOB_PARAMETER = declare(Group.JOB, "jobParameter", String.class, "");
    private static final JobField<String> DESCRIPTION = declare(Group.JOB, "description", String.class, "");
    private static final JobField<Map<String, String>> LABELS =
            texts(Group.JOB, "labels", String.class).leftOut().accepting(LABELS_ACCEPTED, JobConfiguration::areLabels);
    private static final JobField<Boolean> PAUSED = declare(Group.JOB, "paused", Boolean.class, false);
    private static final JobField<Boolean> STREAMING = declare(Group.JOB, "streaming", Boolean.class, false);
    private static final JobField<Integer> FENCE_EPOCH = declare(Group.JOB, "fenceEpoch", Integer.class, 0)
            .accepting("0 to 2047", epoch -> epoch >= 0 && epoch < 2048);
    private static final JobField<Long> REVISION =
            declare(Group.JOB, "revision", Long.class, 0L).accepting(ZERO_OR_MORE, revision -> revision >= 0);

    // Which instances have its items.
    private static final JobField<String> SHARDING_STRATEGY = declare(
                    Group.PLACEMENT, "shardingStrategy", String.class, DEFAULT_STRATEGY)
            .accepting("a strategy's type", type -> !type.isBlank());
    private static final JobField<InstanceMatch> REQUIRED_INSTANCES =
            optional(Group.PLACEMENT, "requiredInstances", InstanceMatch.class);
    private static final JobField<InstanceMatch> PREFERRED_INSTANCES =
            optional(Group.PLACEMENT, "preferredInstances", InstanceMatch.class);
    private static final JobField<Integer> MAX_ITEMS_PER_INSTANCE = declare(
                    Group.PLACEMENT, "maxItemsPerInstance", Integer.class, 0)
            .leftOut()
            .accepting(ZERO_OR_MORE, count -> count >= 0);
    private static final JobField<String> ANTI_AFFINITY = optional(Group.PLACEMENT, "antiAffinity", String.class)
            .accepting("another job's name", job -> NAME.matcher(job).matches());
    private static final JobField<Boolean> STATIC_SHARDING =
            declare(Group.PLACEMENT, "staticSharding", Boolean.class, false).leftOut();
    private static final JobField<Duration> RESTART_GRACE = declare(
                    Group.PLACEMENT, "restartGrace", Duration.class, Duration.ZERO)
            .leftOut()
            .accepting(SPAN, JobConfiguration::isSpan);

    // How much, how long and how often.
    private static final JobField<Integer> CONCURRENCY = declare(Group.LIMITS, "concurrency", Integer.class, 0)
            .leftOut()
            .accepting(ZERO_OR_MORE, count -> count >= 0);
    private static final JobField<Duration> TIMEOUT =
            optional(Group.LIMITS, "timeout", Duration.class).accepting(POSITIVE, JobConfiguration::isPositive);
    private static final JobField<Integer> MAX_ATTEMPTS =
            declare(Group.LIMITS, "maxAttempts", Integer.class, 3).accepting("1 or more", attempts -> attempts >= 1);
    private static final JobField<Integer> QUARANTINE_AFTER = declare(Group.LIMITS, "quarantineAfter", Integer.class, 0)
            .leftOut()
            .accepting(ZERO_OR_MORE, count -> count >= 0);
    private static final JobField<Duration> SHUTDOWN_GRACE = declare(
                    Group.LIMITS, "shutdownGrace", Duration.class, Duration.ofSeconds(30))
            .accepting(SPAN, JobConfiguration::isSpan);

    // What becomes of fires and runs that don't go as planned.
    private static final JobField<MisfirePolicy> MISFIRE =
            declare(Group.POLICIES, "misfire", MisfirePolicy.class, MisfirePolicy.fireOnce());
    private static final JobField<Duration> MISFIRE_THRESHOLD = optional(
                    Group.POLICIES, "misfireThreshold", Duration.class)
            .accepting(POSITIVE, JobConfiguration::isPositive);
    private static final JobField<Duration> CATCH_UP_WINDOW =
            optional(Group.POLICIES, "catchUpWindow", Duration.class).accepting(POSITIVE, JobConfiguration::isPositive);
    private static final JobField<OverlapPolicy> OVERLAP =
            declare(Group.POLICIES, "overlap", OverlapPolicy.class, OverlapPolicy.skip());
    private static final JobField<RetryPolicy> RETRY = declare(
                    Group.POLICIES, "retry", RetryPolicy.class, RetryPolicy.none())
            .leftOut();
    private static final JobField<Boolean> FAILOVER = declare(Group.POLICIES, "failover", Boolean.class, true);
    private static final JobField<SessionLossPolicy> SESSION_LOSS =
            declare(Group.POLICIES, "sessionLoss", SessionLossPolicy.class, SessionLossPolicy.INTERRUPT);
    private static final JobField<String> ERROR_HANDLER = declare(
                    Group.POLICIES, "errorHandler", String.class, DEFAULT_ERROR_HANDLER)
            .leftOut()
            .accepting("a handler's type", type -> !type.isBlank());

    private final @Nullable Object[] values;

    private JobConfiguration(@Nullable Object[] values) {
        this.values = values;
    }

    private static <T> JobField<T> declare(Group group, String name, Class<T> type, T unset) {
        return declared(new JobField<>(FIELDS.size(), group, name, type, unset));
    }

    private static <T> JobField<T> optional(Group group, String name, Class<T> type) {
        return declared(new JobField<T>(FIELDS.size(), group, name, type, null)).leftOut();
    }

    private static <K extends Comparable<K>> JobField<Map<K, String>> texts(Group group, String name, Class<K> keys) {
        return declared(new JobField<Map<K, String>>(
                        FIELDS.size(), group, name, new JobField.TextsType(keys), Map.of()))
                .copying(texts -> Collections.unmodifiableMap(new TreeMap<>(texts)));
    }

    private static <T> JobField<T> declared(JobField<T> field) {
        FIELDS.add(field);
        return field;
    }

    private static boolean isPositive(Duration span) {
        return span.compareTo(Duration.ZERO) > 0 && span.compareTo(Schedule.LONGEST) <= 0;
    }

    private static boolean isSpan(Duration span) {
        return !span.isNegative() && span.compareTo(Schedule.LONGEST) <= 0;
    }

    private static boolean areLabels(Map<String, String> labels) {
        return labels.size() <= MOST_LABELS
                && labels.keySet().stream().allMatch(key -> LABEL.matcher(key).matches())
                && labels.values().stream().allMatch(JobConfiguration::isLabel);
    }

    private static boolean isLabel(String text) {
        return text != null && text.length() <= LONGEST_LABEL && text.chars().noneMatch(Character::isISOControl);
    }

    /** Returns all fields, in the order in which a definition is written. Unmodifiable. */
    public static List<JobField<?>> fields() {
        return Collections.unmodifiableList(FIELDS);
    }

    /**
     * Starts a configuration.
     *
     * @param jobName letters, digits, dot, underscore and hyphen, at most 128, starting with a letter or digit
     * @param shardingTotalCount how many items, from 1 to {@value #MAX_ITEMS}
     */
    public static Builder newBuilder(String jobName, int shardingTotalCount) {
        return new Builder(jobName, shardingTotalCount);
    }

    /**
     * Reads the {@link JobDefinition} of a job's class.
     *
     * @throws JobConfigurationException when the class has none, or a value in it can't be accepted
     */
    public static JobConfiguration of(Class<? extends Job> jobClass) {
        JobDefinition definition = jobClass.getAnnotation(JobDefinition.class);
        if (definition == null) {
            throw new JobConfigurationException(
                    jobClass.getName(), "annotation", null, "a class with @" + JobDefinition.class.getSimpleName());
        }
        return newBuilder(definition.name(), definition.shardingTotalCount())
                .schedule(scheduleOf(definition))
                .shardingItemParameters(definition.shardingItemParameters())
                .jobParameter(definition.jobParameter())
                .description(definition.description())
                .failover(definition.failover())
                .paused(definition.paused())
                .streaming(definition.streaming())
                .scope(definition.scope())
                .shardingStrategy(definition.shardingStrategy())
                .errorHandler(definition.errorHandler())
                .labels(labelsOf(definition))
                .build();
    }

    private static Map<String, String> labelsOf(JobDefinition definition) {
        Map<String, String> labels = new TreeMap<>();
        for (String label : definition.labels()) {
            int equals = label.indexOf('=');
            if (equals < 1 || labels.put(label.substring(0, equals), label.substring(equals + 1)) != null) {
                throw new JobConfigurationException(
                        definition.name(), "labels", label, "the form owner=payments with each key once");
            }
        }
        return labels;
    }

    private static Schedule scheduleOf(JobDefinition definition) {
        if (!definition.cron().isEmpty() && definition.fixedRateMillis() != 0) {
            throw new JobConfigurationException(
                    definition.name(), "fixedRateMillis", definition.fixedRateMillis(), "0 beside a cron expression");
        }
        if (!definition.cron().isEmpty()) {
            try {
                return Schedule.cron(definition.cron(), ZoneId.of(definition.timeZone()));
            } catch (DateTimeException e) {
                throw new JobConfigurationException(
                        definition.name(), "timeZone", definition.timeZone(), "a zone such as Europe/Berlin", e);
            }
        }
        if (definition.fixedRateMillis() != 0) {
            try {
                return Schedule.fixedRate(Duration.ofMillis(definition.fixedRateMillis()));
            } catch (IllegalArgumentException e) {
                throw new JobConfigurationException(
                        definition.name(), "fixedRateMillis", definition.fixedRateMillis(), "10 or more", e);
            }
        }
        return Schedule.onDemand();
    }

    /** Returns the job's name. */
    public String jobName() {
        return get(JOB_NAME);
    }

    /** Returns how many items the job has. */
    public int shardingTotalCount() {
        return get(SHARDING_TOTAL_COUNT);
    }

    /** Returns into which items each fire is split; {@link Scope#SHARDED} by default. */
    public Scope scope() {
        return get(SCOPE);
    }

    /** Returns when it fires; on demand by default. */
    public Schedule schedule() {
        return get(SCHEDULE);
    }

    /** Returns the parameters of items that have one, by item; empty by default. Unmodifiable. */
    public Map<Integer, String> shardingItemParameters() {
        return get(SHARDING_ITEM_PARAMETERS);
    }

    /** Returns the job's parameter; empty text by default. */
    public String jobParameter() {
        return get(JOB_PARAMETER);
    }

    /** Returns what the job is for; empty text by default. */
    public String description() {
        return get(DESCRIPTION);
    }

    /**
     * Returns what people and tools know the job by beside its name, such as {@code owner}, {@code team}, {@code severity} and
     * {@code runbook}; empty by default. Up to 32; keys of 1 to 63 letters, digits and {@code . _ - /}, values of up to 512
     * characters, none of them a secret: they are shown wherever the job is. Unmodifiable, in the order of keys.
     */
    public Map<String, String> labels() {
        return get(LABELS);
    }

    /**
     * Tells whether an interrupted fire is run again on a survivor (the default) or recorded as interrupted and never
     * run again.
     */
    public boolean failover() {
        return get(FAILOVER);
    }

    /** Returns how many instances may die running one fire of an item before it is quarantined; 3 by default. */
    public int maxAttempts() {
        return get(MAX_ATTEMPTS);
    }

    /** Returns what becomes of fires that come too late; {@link MisfirePolicy.FireOnce} by default. */
    public MisfirePolicy misfire() {
        return get(MISFIRE);
    }

    /** Returns the age from which a fire counts as misfired; empty (the default) is twice the session timeout. */
    public Optional<Duration> misfireThreshold() {
        return find(MISFIRE_THRESHOLD);
    }

    /**
     * Returns how far back misfired fires are made up for, whatever {@link #misfire()} says: older ones are left out. Empty
     * (the default) for no such bound.
     */
    public Optional<Duration> catchUpWindow() {
        return find(CATCH_UP_WINDOW);
    }

    /** Returns what becomes of fires that come while the item runs; {@link OverlapPolicy.Skip} by default. */
    public OverlapPolicy overlap() {
        return get(OVERLAP);
    }

    /**
     * Returns how long a run of an item may take, its retries and their pauses included; empty (the default) for no limit.
     * A run that takes longer is told to end, counts as {@link ItemOutcome#TIMED_OUT}, and is not tried again. Under a
     * {@link Schedule.Adaptive} schedule its base is the limit instead.
     */
    public Optional<Duration> timeout() {
        return find(TIMEOUT);
    }

    /** Returns how often a failed item is tried again before its fire counts as failed; never by default. */
    public RetryPolicy retry() {
        return get(RETRY);
    }

    /**
     * Returns after how many failed or timed-out fires in a row an item is quarantined, which is to wait for an operator to
     * release it; 0 (the default) for never.
     */
    public int quarantineAfter() {
        return get(QUARANTINE_AFTER);
    }

    /** Returns how many items may run at once in one instance; 0 (the default) for as many as it has. */
    public int concurrency() {
        return get(CONCURRENCY);
    }

    /** Returns what becomes of running items when the session is lost; they are interrupted by default. */
    public SessionLossPolicy sessionLoss() {
        return get(SESSION_LOSS);
    }

    /**
     * Returns how long an instance that shuts down may take for it; 30 s by default. Running items may go on until five
     * seconds before its end, or for half of it if it is under ten seconds; then they are told to end, have three seconds to
     * return, and the instance leaves. So the whole, the jobs' longest counting, is within a grace of ten seconds or more,
     * and takes half of a shorter one and five seconds at most.
     */
    public Duration shutdownGrace() {
        return get(SHUTDOWN_GRACE);
    }

    /** Returns the {@link JobShardingStrategy#type()} that places the items; {@value #DEFAULT_STRATEGY} by default. */
    public String shardingStrategy() {
        return get(SHARDING_STRATEGY);
    }

    /**
     * Returns which instances may have items of the job: no other gets one, and items wait where there is none. Empty (the
     * default) for all that host it.
     */
    public Optional<InstanceMatch> requiredInstances() {
        return find(REQUIRED_INSTANCES);
    }

    /**
     * Returns which of the instances that may have items are to have them as long as there is one and {@link
     * #maxItemsPerInstance()} leaves it room; others get only the rest. Empty (the default) for no preference.
     */
    public Optional<InstanceMatch> preferredInstances() {
        return find(PREFERRED_INSTANCES);
    }

    /**
     * Returns how many items of the job one instance may have; 0 (the default) for no limit. Items beyond what all
     * instances may have wait.
     */
    public int maxItemsPerInstance() {
        return get(MAX_ITEMS_PER_INSTANCE);
    }

    /**
     * Returns the job that this one keeps apart from: no instance that has items of that one may have items of this one. It
     * is this job that yields: it moves away when the other comes. Where jobs name each other, in pairs or rings, the one
     * whose name comes first yields to nobody, so that all come to rest. Empty (the default) for none.
     */
    public Optional<String> antiAffinity() {
        return find(ANTI_AFFINITY);
    }

    /**
     * Tells whether each item stays where it was placed first, whoever joins; false by default. While its instance is gone,
     * or may not have it, it waits for one of the same {@link JobInstance#name() name}. The strategy places items that were
     * never placed: with the first instance that comes all of them, unless {@link #maxItemsPerInstance()} says less, or the job
     * becomes static once its items are spread.
     */
    public boolean staticSharding() {
        return get(STATIC_SHARDING);
    }

    /**
     * Returns how long the items of an instance that shuts down wait for it to be back, before they go to others; zero (the
     * default) for not at all. With it a rolling restart moves nothing: the first instance of that {@link JobInstance#name() name}
     * that comes and has no items of the job gets them. Meanwhile they don't run, and no health complains of it. An instance
     * that dies doesn't count as one that shuts down, and its items go to others at once. Of no use where whoever is restarted
     * comes back under another name.
     */
    public Duration restartGrace() {
        return get(RESTART_GRACE);
    }

    /**
     * Returns the {@link JobErrorHandler#type()} that is told of item runs that fail: {@code LOG} (the default), {@code
     * IGNORE}, {@code WEBHOOK} if the registry has one, or one of your own.
     */
    public String errorHandler() {
        return get(ERROR_HANDLER);
    }

    /**
     * Tells whether scheduled fires wait until an operator resumes the job; false by default. Once an operator has paused or
     * resumed it, that counts, whatever a later definition says. Manual triggers are served.
     */
    public boolean paused() {
        return get(PAUSED);
    }

    /** Tells whether a {@link DataflowJob} repeats until it finds nothing; false by default. */
    public boolean streaming() {
        return get(STREAMING);
    }

    /**
     * Returns the number that an operator raises after ZooKeeper was restored from a backup, so that fencing tokens go
     * on rising; 0 by default.
     */
    public int fenceEpoch() {
        return get(FENCE_EPOCH);
    }

    /**
     * Returns the definition's revision: a lower one never replaces a higher; 0 by default. Of equal ones the last registered is
     * in force for as long as the process that registered it hosts the job; then one of an instance that does.
     */
    public long revision() {
        return get(REVISION);
    }

    /** Returns a field's value; null if it has none. */
    @SuppressWarnings("unchecked") // the builder takes no other
    public <T> @Nullable T value(JobField<T> field) {
        return (T) values[field.position()];
    }

    private <T> T get(JobField<T> field) {
        return Objects.requireNonNull(value(field));
    }

    private <T> Optional<T> find(JobField<T> field) {
        return Optional.ofNullable(value(field));
    }

    /** Returns a builder that starts from this configuration. */
    public Builder toBuilder() {
        return new Builder(values);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobConfiguration that && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    /** Returns all fields with their values. */
    @Override
    public String toString() {
        return FIELDS.stream()
                .map(field -> field + "=" + value(field))
                .collect(Collectors.joining(", ", "JobConfiguration{", "}"));
    }

    /** Collects a configuration; {@link #build} checks it. Not thread-safe. */
    public static final class Builder {
        private final @Nullable Object[] values;

        private Builder(String jobName, int shardingTotalCount) {
            values = FIELDS.stream().map(JobField::unset).toArray();
            set(JOB_NAME, jobName);
            set(SHARDING_TOTAL_COUNT, shardingTotalCount);
        }

        private Builder(@Nullable Object[] from) {
            values = from.clone();
        }

        /**
         * Sets a field, as the method of its name does; for code that sets whatever fields there are.
         *
         * @param value null only for a field whose default it is, which {@link #build} checks
         */
        public <T> Builder set(JobField<T> field, @Nullable T value) {
            values[field.position()] = field.copy(value);
            return this;
        }

        /** Sets how many items the job has. */
        public Builder shardingTotalCount(int count) {
            return set(SHARDING_TOTAL_COUNT, count);
        }

        /** See {@link JobConfiguration#scope()}. */
        public Builder scope(Scope scope) {
            return set(SCOPE, scope);
        }

        /** See {@link JobConfiguration#schedule()}. */
        public Builder schedule(Schedule schedule) {
            return set(SCHEDULE, schedule);
        }

        /** See {@link JobConfiguration#shardingItemParameters()}. */
        public Builder shardingItemParameters(Map<Integer, String> parameters) {
            return set(SHARDING_ITEM_PARAMETERS, parameters);
        }

        /**
         * The same in the form {@code 0=a,1=b}.
         *
         * @throws JobConfigurationException when the text has another form or names an item twice
         */
        public Builder shardingItemParameters(String parameters) {
            Map<Integer, String> parsed = new TreeMap<>();
            for (String pair : parameters.isBlank() ? new String[0] : parameters.split(",", -1)) {
                int equals = pair.indexOf('=');
                try {
                    int item = Integer.parseInt(
                            pair.substring(0, Math.max(equals, 0)).trim());
                    if (parsed.put(item, pair.substring(equals + 1).trim()) == null) {
                        continue;
                    }
                } catch (NumberFormatException e) {
                    // refused below, together with an item named twice
                }
                throw new JobConfigurationException(
                        jobName(), "shardingItemParameters", parameters, "the form 0=a,1=b with each item once");
            }
            return shardingItemParameters(parsed);
        }

        /** See {@link JobConfiguration#jobParameter()}. */
        public Builder jobParameter(String parameter) {
            return set(JOB_PARAMETER, parameter);
        }

        /** See {@link JobConfiguration#description()}. */
        public Builder description(String description) {
            return set(DESCRIPTION, description);
        }

        /** See {@link JobConfiguration#labels()}. */
        public Builder labels(Map<String, String> labels) {
            return set(LABELS, labels);
        }

        /** See {@link JobConfiguration#failover()}. */
        public Builder failover(boolean failover) {
            return set(FAILOVER, failover);
        }

        /** See {@link JobConfiguration#maxAttempts()}. */
        public Builder maxAttempts(int attempts) {
            return set(MAX_ATTEMPTS, attempts);
        }

        /** See {@link JobConfiguration#misfire()}. */
        public Builder misfire(MisfirePolicy policy) {
            return set(MISFIRE, policy);
        }

        /** See {@link JobConfiguration#misfireThreshold()}; null is the default. */
        public Builder misfireThreshold(@Nullable Duration threshold) {
            return set(MISFIRE_THRESHOLD, threshold);
        }

        /** See {@link JobConfiguration#catchUpWindow()}; null is the default. */
        public Builder catchUpWindow(@Nullable Duration window) {
            return set(CATCH_UP_WINDOW, window);
        }

        /** See {@link JobConfiguration#overlap()}. */
        public Builder overlap(OverlapPolicy policy) {
            return set(OVERLAP, policy);
        }

        /** See {@link JobConfiguration#timeout()}; null is the default. */
        public Builder timeout(@Nullable Duration limit) {
            return set(TIMEOUT, limit);
        }

        /** See {@link JobConfiguration#retry()}. */
        public Builder retry(RetryPolicy policy) {
            return set(RETRY, policy);
        }

        /** See {@link JobConfiguration#quarantineAfter()}. */
        public Builder quarantineAfter(int failures) {
            return set(QUARANTINE_AFTER, failures);
        }

        /** See {@link JobConfiguration#concurrency()}. */
        public Builder concurrency(int items) {
            return set(CONCURRENCY, items);
        }

        /** See {@link JobConfiguration#sessionLoss()}. */
        public Builder sessionLoss(SessionLossPolicy policy) {
            return set(SESSION_LOSS, policy);
        }

        /** See {@link JobConfiguration#shutdownGrace()}. */
        public Builder shutdownGrace(Duration grace) {
            return set(SHUTDOWN_GRACE, grace);
        }

        /** See {@link JobConfiguration#shardingStrategy()}. */
        public Builder shardingStrategy(String type) {
            return set(SHARDING_STRATEGY, type);
        }

        /**
         * See {@link JobConfiguration#requiredInstances()}; blank text is the default.
         *
         * @param match in the form of {@link InstanceMatch}, such as {@code gpu & !batch}
         * @throws JobConfigurationException when the text has another form
         */
        public Builder requiredInstances(String match) {
            return set(REQUIRED_INSTANCES, match(REQUIRED_INSTANCES, match));
        }

        /**
         * See {@link JobConfiguration#preferredInstances()}; blank text is the default.
         *
         * @param match in the form of {@link InstanceMatch}, such as {@code zone=eu}
         * @throws JobConfigurationException when the text has another form
         */
        public Builder preferredInstances(String match) {
            return set(PREFERRED_INSTANCES, match(PREFERRED_INSTANCES, match));
        }

        private String jobName() {
            return String.valueOf(values[JOB_NAME.position()]);
        }

        private @Nullable InstanceMatch match(JobField<InstanceMatch> field, String text) {
            try {
                return text.isBlank() ? null : InstanceMatch.parse(text);
            } catch (IllegalArgumentException e) {
                throw new JobConfigurationException(jobName(), field.name(), text, String.valueOf(e.getMessage()));
            }
        }

        /** See {@link JobConfiguration#maxItemsPerInstance()}. */
        public Builder maxItemsPerInstance(int items) {
            return set(MAX_ITEMS_PER_INSTANCE, items);
        }

        /** See {@link JobConfiguration#antiAffinity()}; null is the default. */
        public Builder antiAffinity(@Nullable String job) {
            return set(ANTI_AFFINITY, job);
        }

        /** See {@link JobConfiguration#staticSharding()}. */
        public Builder staticSharding(boolean pinned) {
            return set(STATIC_SHARDING, pinned);
        }

        /** See {@link JobConfiguration#restartGrace()}. */
        public Builder restartGrace(Duration grace) {
            return set(RESTART_GRACE, grace);
        }

        /** See {@link JobConfiguration#errorHandler()}. */
        public Builder errorHandler(String type) {
            return set(ERROR_HANDLER, type);
        }

        /** See {@link JobConfiguration#paused()}. */
        public Builder paused(boolean paused) {
            return set(PAUSED, paused);
        }

        /** See {@link JobConfiguration#streaming()}. */
        public Builder streaming(boolean streaming) {
            return set(STREAMING, streaming);
        }

        /** See {@link JobConfiguration#fenceEpoch()}. */
        public Builder fenceEpoch(int epoch) {
            return set(FENCE_EPOCH, epoch);
        }

        /** See {@link JobConfiguration#revision()}. */
        public Builder revision(long revision) {
            return set(REVISION, revision);
        }

        /**
         * Checks everything and makes the configuration. Whether a schedule's cron expressions can be read is checked where {@code
         * job-core} is on the class path, and else when the job is registered.
         *
         * @throws JobConfigurationException naming the field, its value and what would be accepted
         */
        public JobConfiguration build() {
            JobConfiguration built = new JobConfiguration(values.clone());
            String job = String.valueOf(built.value(JOB_NAME));
            for (JobField<?> field : FIELDS) {
                check(job, field, built);
            }
            built.requireFitting();
            Schedules.validate(job, built.schedule());
            return built;
        }

        private static <T> void check(String job, JobField<T> field, JobConfiguration built) {
            field.check(job, built.value(field));
        }
    }

    /** Refuses values that don't fit together. */
    private void requireFitting() {
        int items = shardingTotalCount();
        for (Integer item : shardingItemParameters().keySet()) {
            require(item >= 0 && item < items, SHARDING_ITEM_PARAMETERS, item + "=…", "items from 0 to " + (items - 1));
        }
        require(!jobName().equals(value(ANTI_AFFINITY)), ANTI_AFFINITY, value(ANTI_AFFINITY), "another job's name");
        Scope scope = scope();
        String because = " with scope " + scope;
        require(scope == Scope.SHARDED || items == 1, SHARDING_TOTAL_COUNT, items, "1" + because);
        if (scope == Scope.SHARDED || scope == Scope.SINGLETON) {
            return;
        }
        requireUnset(SHARDING_ITEM_PARAMETERS, "none" + because + ", whose items have no numbers");
        requireUnset(STATIC_SHARDING, "false" + because);
        requireUnset(RESTART_GRACE, "zero" + because);
        requireUnset(MAX_ITEMS_PER_INSTANCE, "0" + because);
        if (scope == Scope.BROADCAST) {
            String everybody = because + ", where every instance has an item";
            requireUnset(SHARDING_STRATEGY, "the default, " + DEFAULT_STRATEGY + everybody);
            requireUnset(PREFERRED_INSTANCES, "none" + everybody);
        }
    }

    private void requireUnset(JobField<?> field, String accepted) {
        require(Objects.equals(value(field), field.unset()), field, value(field), accepted);
    }

    private void require(boolean holds, JobField<?> field, @Nullable Object value, String accepted) {
        if (!holds) {
            throw new JobConfigurationException(jobName(), field.name(), value, accepted);
        }
    }
}
