package io.ostraka.api;

import io.ostraka.api.JobField.Group;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a job: its name, items, schedule and policies, but not its code. Build a configuration with {@link
 * #newBuilder}, or read it from the annotation of a class with {@link #of}. The configuration that an application
 * registers is stored in ZooKeeper as the job's definition. Changes that an operator makes are stored separately and
 * take precedence over the definition.
 *
 * <p>Immutable and thread-safe.
 */
public final class JobConfiguration {
    /**
     * Default of {@link #shardingStrategy()}: distributes the items evenly across the instances and moves as few items
     * as possible.
     */
    public static final String DEFAULT_STRATEGY = ShardingStrategies.STICKY_BALANCED;

    /** Default of {@link #errorHandler()}: writes each failure to the log. */
    public static final String DEFAULT_ERROR_HANDLER = "LOG";

    /** Pattern of a valid job name. */
    public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /** Maximum number of items of a job. {@link #MAX_TEXT_BYTES} bounds their parameters. */
    public static final int MAX_ITEMS = 100_000;

    /**
     * Maximum size of all texts of a configuration together, such as the parameters of its items, in bytes of JSON in
     * UTF-8. ZooKeeper stores a definition in one node, which by default has at most 1 MiB.
     */
    public static final int MAX_TEXT_BYTES = 900_000;

    private static final String POSITIVE = "a positive duration of at most 36500 days";
    private static final String ZERO_OR_MORE = "0 or more";
    private static final String SPAN = "zero to 36500 days";
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?");
    private static final String LABELS_ACCEPTED =
            "up to 32 labels, their keys of 1 to 63 letters, digits and . _ - /, their values of"
                    + " up to 512 characters without line breaks";
    private static final int MOST_LABELS = 32;
    private static final int LONGEST_LABEL = 512;
    private static final int LONGEST_PAUSE_REASON = 500;

    /** Begins a further item in the text of item parameters, after a separator that is no comma. */
    private static final Pattern OTHER_SEPARATOR = Pattern.compile("[\\r\\n;\uff1b\uff0c\u3001]\\s*\\d+\\s*[=\uff1d]");

    /** All fields declared below, in the order of their declaration. */
    private static final List<JobField<?>> FIELDS = new ArrayList<>();

    // Identity, items, schedule and parameters.
    private static final JobField<String> JOB_NAME = declare(Group.JOB, "jobName", String.class, "")
            .fixed()
            .accepting(NAME.pattern(), name -> NAME.matcher(name).matches());
    private static final JobField<Integer> SHARDING_TOTAL_COUNT = declare(
                    Group.JOB, "shardingTotalCount", Integer.class, 0)
            .accepting("1 to " + MAX_ITEMS, count -> count >= 1 && count <= MAX_ITEMS);
    private static final JobField<Scope> SCOPE =
            declare(Group.JOB, "scope", Scope.class, Scope.SHARDED).fixed().leftOut();
    private static final JobField<Schedule> SCHEDULE =
            declare(Group.JOB, "schedule", Schedule.class, Schedule.onDemand());
    private static final JobField<Map<Integer, String>> SHARDING_ITEM_PARAMETERS =
            texts(Group.JOB, "shardingItemParameters", Integer.class);
    private static final JobField<String> JOB_PARAMETER = declare(Group.JOB, "jobParameter", String.class, "");
    private static final JobField<String> DESCRIPTION = declare(Group.JOB, "description", String.class, "");
    private static final JobField<Map<String, String>> LABELS =
            texts(Group.JOB, "labels", String.class).leftOut().accepting(LABELS_ACCEPTED, JobConfiguration::areLabels);
    private static final JobField<HistoryLevel> HISTORY = optional(Group.JOB, "history", HistoryLevel.class);
    private static final JobField<AlarmPolicy> ALARMS = declare(
                    Group.JOB, "alarms", AlarmPolicy.class, AlarmPolicy.defaults())
            .leftOut();
    private static final JobField<Boolean> PAUSED = declare(Group.JOB, "paused", Boolean.class, false);
    private static final JobField<String> PAUSE_REASON = declare(Group.JOB, "pauseReason", String.class, "")
            .leftOut()
            .fixed()
            .accepting(
                    "at most " + LONGEST_PAUSE_REASON + " characters without control characters",
                    JobConfiguration::isPauseReason);
    private static final JobField<Boolean> STREAMING =
            declare(Group.JOB, "streaming", Boolean.class, false).fixed();
    private static final JobField<Integer> FENCE_EPOCH = declare(Group.JOB, "fenceEpoch", Integer.class, 0)
            .rising()
            .accepting("0 to 2047", epoch -> epoch >= 0 && epoch < 2048);
    private static final JobField<Long> REVISION =
            declare(Group.JOB, "revision", Long.class, 0L).fixed().accepting(ZERO_OR_MORE, revision -> revision >= 0);

    // Placement of items on instances.
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

    // Limits on parallelism, duration and number of attempts.
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

    // Policies for late, overlapping, interrupted and failed fires.
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
                .copying(texts -> {
                    Map<K, String> copy = new TreeMap<>(Comparator.nullsFirst(Comparator.naturalOrder()));
                    copy.putAll(texts);
                    return Collections.unmodifiableMap(copy);
                });
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
        return isLine(text, LONGEST_LABEL);
    }

    private static boolean isPauseReason(String text) {
        return isLine(text, LONGEST_PAUSE_REASON);
    }

    private static boolean isLine(String text, int longest) {
        return text.length() <= longest && text.chars().noneMatch(Character::isISOControl);
    }

    /** Returns all fields, in the order in which a definition stores them. The list is unmodifiable. */
    public static List<JobField<?>> fields() {
        return Collections.unmodifiableList(FIELDS);
    }

    /** Returns the field with the given name; empty if there is none. */
    public static Optional<JobField<?>> field(String name) {
        return FIELDS.stream()
                .filter(field -> field.name().equals(name))
                .<JobField<?>>map(field -> field)
                .findFirst();
    }

    /**
     * Returns a builder with the given job name and item count. All other fields start with their defaults.
     *
     * @param jobName 1 to 128 letters, digits, dots, underscores and hyphens, starting with a letter or digit
     * @param shardingTotalCount number of items, from 1 to {@value #MAX_ITEMS}
     */
    public static Builder newBuilder(String jobName, int shardingTotalCount) {
        return new Builder(jobName, shardingTotalCount);
    }

    /**
     * Reads the configuration from the {@link JobDefinition} annotation of a job's class.
     *
     * @throws JobConfigurationException if the class has no such annotation, or a value in it is not accepted
     */
    public static JobConfiguration of(Class<? extends Job> jobClass) {
        JobDefinition definition = jobClass.getAnnotation(JobDefinition.class);
        if (definition == null) {
            throw new JobConfigurationException(
                    jobClass.getName(), "annotation", null, "a class with @" + JobDefinition.class.getSimpleName());
        }
        return of(definition);
    }

    /**
     * Reads the configuration from an annotation.
     *
     * @throws JobConfigurationException if a value in the annotation is not accepted
     */
    public static JobConfiguration of(JobDefinition definition) {
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

    /** Returns the number of items that each fire is split into. */
    public int shardingTotalCount() {
        return get(SHARDING_TOTAL_COUNT);
    }

    /**
     * Returns the scope, which defines the job's items and the instances that may run them; {@link Scope#SHARDED} by
     * default.
     */
    public Scope scope() {
        return get(SCOPE);
    }

    /** Returns the schedule; {@link Schedule.OnDemand} by default, which fires only when triggered. */
    public Schedule schedule() {
        return get(SCHEDULE);
    }

    /**
     * Returns the parameters of individual items, by item number. Items without a parameter have no entry; by default
     * no item has one. The map is unmodifiable.
     */
    public Map<Integer, String> shardingItemParameters() {
        return get(SHARDING_ITEM_PARAMETERS);
    }

    /** Returns the parameter that all items of the job receive; empty text by default. */
    public String jobParameter() {
        return get(JOB_PARAMETER);
    }

    /** Returns a description of the job's purpose, for people; empty text by default. */
    public String description() {
        return get(DESCRIPTION);
    }

    /**
     * Returns labels that describe the job to people and tools, such as {@code owner}, {@code team}, {@code severity}
     * and {@code runbook}; empty by default. A job has at most 32 labels. A key has 1 to 63 letters, digits and {@code
     * . _ - /}; a value has at most 512 characters. Labels must not contain secrets, since every view of the job shows
     * them. The map is unmodifiable and sorted by key.
     */
    public Map<String, String> labels() {
        return get(LABELS);
    }

    /**
     * Returns the level that selects the runs that the history keeps; null by default. With null, the history keeps all
     * runs, or only the failed runs if the fires of the job are less than ten seconds apart or the schedule is
     * continuous.
     */
    public @Nullable HistoryLevel history() {
        return value(HISTORY);
    }

    /**
     * Returns the policy that decides when the alarms of the job begin. The default is {@link AlarmPolicy#defaults()},
     * in which all kinds of alarms are on.
     */
    public AlarmPolicy alarms() {
        return get(ALARMS);
    }

    /**
     * Returns whether another instance takes over the running items of an instance that died; true by default. If
     * false, these runs are recorded as {@link ItemOutcome#INTERRUPTED} and do not run again.
     */
    public boolean failover() {
        return get(FAILOVER);
    }

    /**
     * Returns the number of instances that may die while they run the same fire of an item; 3 by default. When this
     * number is reached, the fire does not run again, and the item is quarantined.
     */
    public int maxAttempts() {
        return get(MAX_ATTEMPTS);
    }

    /**
     * Returns the policy for misfired fires; {@link MisfirePolicy.FireOnce} by default. By default, an item that could
     * not start its fires when they came due runs the latest of them, however late, and skips the earlier ones. {@link
     * MisfirePolicy} describes which fires are misfired.
     */
    public MisfirePolicy misfire() {
        return get(MISFIRE);
    }

    /**
     * Returns the age from which the latest fire that an item could not start counts as misfired. Earlier fires count
     * as misfired at any age. Empty (the default) means twice the session timeout.
     */
    public Optional<Duration> misfireThreshold() {
        return find(MISFIRE_THRESHOLD);
    }

    /**
     * Returns the maximum age at which a misfired fire may still run. Older fires are skipped, even if {@link
     * #misfire()} would run them. Empty (the default) means no limit.
     */
    public Optional<Duration> catchUpWindow() {
        return find(CATCH_UP_WINDOW);
    }

    /**
     * Returns the policy for fires that become due while the item still runs; {@link OverlapPolicy.Skip} by default.
     */
    public OverlapPolicy overlap() {
        return get(OVERLAP);
    }

    /**
     * Returns the time limit of an item's run, including its retries and the pauses before them. Empty (the default)
     * means no limit. The engine cancels a run that exceeds the limit, records {@link ItemOutcome#TIMED_OUT} and does
     * not retry the run. A job with a {@link Schedule.Adaptive} schedule has the schedule's base delay as its limit
     * instead.
     */
    public Optional<Duration> timeout() {
        return find(TIMEOUT);
    }

    /** Returns the policy for retries of a failed item within the same fire; {@link RetryPolicy#none()} by default. */
    public RetryPolicy retry() {
        return get(RETRY);
    }

    /**
     * Returns the number of consecutive failed or timed-out fires after which an item is quarantined. A quarantined
     * item does not run until an operator releases it. 0 (the default) means that items are never quarantined for this
     * reason.
     */
    public int quarantineAfter() {
        return get(QUARANTINE_AFTER);
    }

    /**
     * Returns the maximum number of the job's items that one instance runs at the same time. 0 (the default) means no
     * limit.
     */
    public int concurrency() {
        return get(CONCURRENCY);
    }

    /**
     * Returns the policy for running items when the instance loses its ZooKeeper session; {@link
     * SessionLossPolicy#INTERRUPT} by default.
     */
    public SessionLossPolicy sessionLoss() {
        return get(SESSION_LOSS);
    }

    /**
     * Returns the total time that an instance may take to shut down; 30 s by default. If the jobs of an instance have
     * different values, the longest applies to the instance.
     *
     * <p>The engine cancels running items 5 s before the end of this time. If the time is shorter than 10 s, the engine
     * cancels them when half of the time has passed. It then waits up to 3 s for their code to return and ends the
     * instance's session. A time shorter than 10 s can therefore be exceeded: the shutdown takes at most half of the
     * configured time plus 5 s.
     */
    public Duration shutdownGrace() {
        return get(SHUTDOWN_GRACE);
    }

    /**
     * Returns the name ({@link JobShardingStrategy#type()}) of the strategy that assigns items to instances; {@value
     * #DEFAULT_STRATEGY} by default.
     */
    public String shardingStrategy() {
        return get(SHARDING_STRATEGY);
    }

    /**
     * Returns the condition that an instance must meet to get items of the job. While no instance meets the condition,
     * the items wait. Empty (the default) means that every instance that hosts the job can get items.
     */
    public Optional<InstanceMatch> requiredInstances() {
        return find(REQUIRED_INSTANCES);
    }

    /**
     * Returns the condition that marks preferred instances for the job's items. Other instances get items only when all
     * preferred instances have {@link #maxItemsPerInstance()} items, or when no preferred instance is available. Empty
     * (the default) means no preference.
     */
    public Optional<InstanceMatch> preferredInstances() {
        return find(PREFERRED_INSTANCES);
    }

    /**
     * Returns the maximum number of the job's items that the leader assigns to one instance. If all instances have this
     * number of items, the other items wait. 0 (the default) means no limit.
     */
    public int maxItemsPerInstance() {
        return get(MAX_ITEMS_PER_INSTANCE);
    }

    /**
     * Returns the name of another job whose instances this job avoids: an instance with items of the other job gets no
     * items of this job. If an instance gets items of the other job later, the items of this job move away. If jobs
     * avoid each other, in a pair or in a longer ring, the job with the alphabetically first name ignores its setting,
     * so that the placement becomes stable. Empty (the default) means that this job avoids no job.
     */
    public Optional<String> antiAffinity() {
        return find(ANTI_AFFINITY);
    }

    /**
     * Returns whether each item stays on the instance to which it was first assigned, even when other instances join;
     * false by default. While that instance is absent or not eligible for the item, the item waits for an instance with
     * the same {@link JobInstance#name() name}.
     *
     * <p>The sharding strategy assigns only items that were never assigned before. The first instance that starts would
     * therefore get all items. To avoid this, set {@link #maxItemsPerInstance()}, or set this option after the items
     * have been distributed.
     */
    public boolean staticSharding() {
        return get(STATIC_SHARDING);
    }

    /**
     * Returns the time for which items wait for the restart of their instance after a shutdown, before they move to
     * other instances. Zero (the default) means that the items move at once.
     *
     * <p>With a restart grace, a rolling restart moves no items: the waiting items go to the first instance that joins
     * with the same {@link JobInstance#name() name} and has no items of the job yet. Until then the items do not run,
     * and the health of the job does not report them as unplaced. The items of an instance that died move at once. The
     * restart grace has no effect if restarted instances get new names. The session timeout of the connection to
     * ZooKeeper ({@code sessionTimeout} of the registry's builder) limits how long an instance may be away without a
     * shutdown.
     */
    public Duration restartGrace() {
        return get(RESTART_GRACE);
    }

    /**
     * Returns the name ({@link JobErrorHandler#type()}) of the handler for failed runs of items: {@code LOG} (the
     * default), {@code IGNORE}, {@code WEBHOOK} if the registry's builder configures one, or a handler of the
     * application.
     */
    public String errorHandler() {
        return get(ERROR_HANDLER);
    }

    /**
     * Returns whether the job is registered as paused; false by default. The scheduled fires of a paused job wait until
     * an operator resumes the job; manual triggers still run. Once an operator has paused or resumed the job, the
     * operator's setting takes precedence over this value in every later definition.
     */
    public boolean paused() {
        return get(PAUSED);
    }

    /**
     * Returns the reason why the job is registered as paused; empty text by default. Health, alarms and views show this
     * reason to people while the job is paused because of {@link #paused()}. They no longer show it once an operator
     * has paused or resumed the job.
     */
    public String pauseReason() {
        return get(PAUSE_REASON);
    }

    /**
     * Returns whether a {@link DataflowJob} fetches again and again until a fetch returns no data; false by default.
     */
    public boolean streaming() {
        return get(STREAMING);
    }

    /**
     * Returns the number that forms the highest-order bits of all fencing tokens of the job; 0 by default, at most
     * 2047. Raise it after ZooKeeper was restored from a backup, so that new tokens are larger than all tokens that
     * were issued before the restore.
     */
    public int fenceEpoch() {
        return get(FENCE_EPOCH);
    }

    /**
     * Returns the revision of the definition, a number that the application chooses; 0 by default. A definition never
     * replaces a definition with a higher revision. If several processes register definitions with the same revision,
     * the definition that was registered last is active. When its process no longer hosts the job, the definition of
     * another instance that hosts the job becomes active.
     */
    public long revision() {
        return get(REVISION);
    }

    /** Returns the value of a field; null if the field has no value and its default is null. */
    @SuppressWarnings("unchecked") // set() accepts only values of the field's type
    public <T> @Nullable T value(JobField<T> field) {
        return (T) values[field.position()];
    }

    private <T> T get(JobField<T> field) {
        return Objects.requireNonNull(value(field));
    }

    private <T> Optional<T> find(JobField<T> field) {
        return Optional.ofNullable(value(field));
    }

    /** Returns a builder that starts with the values of this configuration. */
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

    /** Builds a configuration; {@link #build} checks all values. Not thread-safe. */
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
         * Sets the value of any field. The effect is the same as that of the setter with the field's name. Use this
         * method in code that handles all fields alike.
         *
         * @param value new value; may be null only if the default of the field is null. {@link #build} checks this
         */
        public <T> Builder set(JobField<T> field, @Nullable T value) {
            values[field.position()] = field.copy(value);
            return this;
        }

        /** Sets the number of items. See {@link JobConfiguration#shardingTotalCount()}. */
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
         * Sets the item parameters from a string such as {@code 0=a,1=b}. See {@link
         * JobConfiguration#shardingItemParameters()}.
         *
         * @throws JobConfigurationException if the string has a different form, names an item twice, or separates items
         *     with another character than a comma
         */
        public Builder shardingItemParameters(String parameters) {
            Map<Integer, String> parsed = new TreeMap<>();
            for (String pair : parameters.isBlank() ? new String[0] : parameters.split(",", -1)) {
                int equals = pair.indexOf('=');
                try {
                    int item = Integer.parseInt(
                            pair.substring(0, Math.max(equals, 0)).trim());
                    String value = pair.substring(equals + 1).trim();
                    if (!OTHER_SEPARATOR.matcher(value).find() && parsed.put(item, value) == null) {
                        continue;
                    }
                } catch (NumberFormatException e) {
                    // the exception below covers this case, too
                }
                throw new JobConfigurationException(
                        jobName(),
                        "shardingItemParameters",
                        parameters,
                        "the form 0=a,1=b with each item once and a comma between"
                                + " two items; for parameters that contain commas or look like further items, use a map");
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

        /** See {@link JobConfiguration#misfireThreshold()}; null restores the default. */
        public Builder misfireThreshold(@Nullable Duration threshold) {
            return set(MISFIRE_THRESHOLD, threshold);
        }

        /** See {@link JobConfiguration#catchUpWindow()}; null restores the default. */
        public Builder catchUpWindow(@Nullable Duration window) {
            return set(CATCH_UP_WINDOW, window);
        }

        /** See {@link JobConfiguration#overlap()}. */
        public Builder overlap(OverlapPolicy policy) {
            return set(OVERLAP, policy);
        }

        /** See {@link JobConfiguration#timeout()}; null restores the default. */
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
         * See {@link JobConfiguration#requiredInstances()}; blank text restores the default.
         *
         * @param match condition in the syntax of {@link InstanceMatch}, such as {@code gpu & !batch}
         * @throws JobConfigurationException if the text is not a valid condition
         */
        public Builder requiredInstances(String match) {
            return set(REQUIRED_INSTANCES, match(REQUIRED_INSTANCES, match));
        }

        /**
         * See {@link JobConfiguration#preferredInstances()}; blank text restores the default.
         *
         * @param match condition in the syntax of {@link InstanceMatch}, such as {@code zone=eu}
         * @throws JobConfigurationException if the text is not a valid condition
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

        /** See {@link JobConfiguration#antiAffinity()}; null restores the default. */
        public Builder antiAffinity(@Nullable String job) {
            return set(ANTI_AFFINITY, job);
        }

        /** See {@link JobConfiguration#staticSharding()}. */
        public Builder staticSharding(boolean pinned) {
            return set(STATIC_SHARDING, pinned);
        }

        /** See {@link JobConfiguration#alarms()}. */
        public Builder alarms(AlarmPolicy policy) {
            return set(ALARMS, policy);
        }

        /** See {@link JobConfiguration#history()}. */
        public Builder history(@Nullable HistoryLevel level) {
            return set(HISTORY, level);
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

        /**
         * See {@link JobConfiguration#pauseReason()}.
         *
         * @param reason at most 500 characters without control characters
         */
        public Builder pauseReason(String reason) {
            return set(PAUSE_REASON, reason);
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
         * Checks all values and builds the configuration. The syntax of cron expressions is checked here if {@code
         * job-core} is on the class path, and otherwise when the job is registered.
         *
         * @throws JobConfigurationException if a value is not accepted; the message names the field, the value and the
         *     accepted values
         */
        public JobConfiguration build() {
            JobConfiguration built = new JobConfiguration(values.clone());
            String job = String.valueOf(built.value(JOB_NAME));
            for (JobField<?> field : FIELDS) {
                check(job, field, built);
            }
            built.requireFitting();
            built.requireStorable();
            Schedules.validate(job, built.schedule());
            return built;
        }

        private static <T> void check(String job, JobField<T> field, JobConfiguration built) {
            field.check(job, built.value(field));
        }
    }

    /** Checks conditions that involve several fields. */
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

    private void requireStorable() {
        long bytes = FIELDS.stream()
                .mapToLong(field -> JobField.textBytes(value(field)))
                .sum();
        if (bytes > MAX_TEXT_BYTES) {
            JobField<?> largest =
                    Collections.max(FIELDS, Comparator.comparingLong(field -> JobField.textBytes(value(field))));
            require(
                    false,
                    largest,
                    JobField.textBytes(value(largest)) + " bytes long",
                    "at most " + MAX_TEXT_BYTES + " bytes for all texts of the job together, which have " + bytes
                            + ", because ZooKeeper stores them in one node; let the job look up long parameters"
                            + " elsewhere");
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
