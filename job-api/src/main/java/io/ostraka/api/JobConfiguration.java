package io.ostraka.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Everything about a job but its code. Immutable and thread-safe; made by {@link #newBuilder} or from the annotation of
 * a class by {@link #of}. What code registers is the job's definition; what an operator changes is kept apart from it.
 */
public final class JobConfiguration {
    /** The default of {@link #shardingStrategy()}: keeps items where they are and counts within one of each other. */
    public static final String DEFAULT_STRATEGY = "STICKY_BALANCED";

    /** The default of {@link #errorHandler()}: writes each failure to the log. */
    public static final String DEFAULT_ERROR_HANDLER = "LOG";

    /** What a job's name may be. */
    public static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    /** The largest item count. */
    public static final int MAX_ITEMS = 100_000;

    private final Builder values;

    private JobConfiguration(Builder values) {
        this.values = values;
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
                .build();
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
        return values.jobName;
    }

    /** Returns how many items the job has. */
    public int shardingTotalCount() {
        return values.shardingTotalCount;
    }

    /** Returns into which items each fire is split; {@link Scope#SHARDED} by default. */
    public Scope scope() {
        return values.scope;
    }

    /** Returns when it fires; on demand by default. */
    public Schedule schedule() {
        return values.schedule;
    }

    /** Returns the parameters of items that have one, by item; empty by default. Unmodifiable. */
    public Map<Integer, String> shardingItemParameters() {
        return values.shardingItemParameters;
    }

    /** Returns the job's parameter; empty text by default. */
    public String jobParameter() {
        return values.jobParameter;
    }

    /** Returns what the job is for; empty text by default. */
    public String description() {
        return values.description;
    }

    /**
     * Tells whether an interrupted fire is run again on a survivor (the default) or recorded as interrupted and never
     * run again.
     */
    public boolean failover() {
        return values.failover;
    }

    /** Returns how many instances may die running one fire of an item before it is quarantined; 3 by default. */
    public int maxAttempts() {
        return values.maxAttempts;
    }

    /** Returns what becomes of fires that come too late; {@link MisfirePolicy.FireOnce} by default. */
    public MisfirePolicy misfire() {
        return values.misfire;
    }

    /** Returns the age from which a fire counts as misfired; empty (the default) is twice the session timeout. */
    public Optional<Duration> misfireThreshold() {
        return Optional.ofNullable(values.misfireThreshold);
    }

    /**
     * Returns how far back misfired fires are made up for, whatever {@link #misfire()} says: older ones are left out. Empty
     * (the default) for no such bound.
     */
    public Optional<Duration> catchUpWindow() {
        return Optional.ofNullable(values.catchUpWindow);
    }

    /** Returns what becomes of fires that come while the item runs; {@link OverlapPolicy.Skip} by default. */
    public OverlapPolicy overlap() {
        return values.overlap;
    }

    /**
     * Returns how long a run of an item may take, its retries and their pauses included; empty (the default) for no limit.
     * A run that takes longer is told to end, counts as {@link ItemOutcome#TIMED_OUT}, and is not tried again. Under a
     * {@link Schedule.Adaptive} schedule its base is the limit instead.
     */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(values.timeout);
    }

    /** Returns how often a failed item is tried again before its fire counts as failed; never by default. */
    public RetryPolicy retry() {
        return values.retry;
    }

    /**
     * Returns after how many failed or timed-out fires in a row an item is quarantined, which is to wait for an operator to
     * release it; 0 (the default) for never.
     */
    public int quarantineAfter() {
        return values.quarantineAfter;
    }

    /** Returns how many items may run at once in one instance; 0 (the default) for as many as it has. */
    public int concurrency() {
        return values.concurrency;
    }

    /** Returns what becomes of running items when the session is lost; they are interrupted by default. */
    public SessionLossPolicy sessionLoss() {
        return values.sessionLoss;
    }

    /**
     * Returns how long an instance that shuts down may take for it; 30 s by default. Running items may go on until five
     * seconds before its end, or for half of it if it is under ten seconds; then they are told to end, have three seconds to
     * return, and the instance leaves. So the whole, the jobs' longest counting, is within a grace of ten seconds or more,
     * and takes half of a shorter one and five seconds at most.
     */
    public Duration shutdownGrace() {
        return values.shutdownGrace;
    }

    /** Returns the {@link JobShardingStrategy#type()} that places the items; {@value #DEFAULT_STRATEGY} by default. */
    public String shardingStrategy() {
        return values.shardingStrategy;
    }

    /**
     * Returns which instances may have items of the job: no other gets one, and items wait where there is none. Empty (the
     * default) for all that host it.
     */
    public Optional<InstanceMatch> requiredInstances() {
        return Optional.ofNullable(values.requiredInstances);
    }

    /**
     * Returns which of the instances that may have items are to have them as long as there is one and {@link
     * #maxItemsPerInstance()} leaves it room; others get only the rest. Empty (the default) for no preference.
     */
    public Optional<InstanceMatch> preferredInstances() {
        return Optional.ofNullable(values.preferredInstances);
    }

    /**
     * Returns how many items of the job one instance may have; 0 (the default) for no limit. Items beyond what all
     * instances may have wait.
     */
    public int maxItemsPerInstance() {
        return values.maxItemsPerInstance;
    }

    /**
     * Returns the job that this one keeps apart from: no instance that has items of that one may have items of this one. It
     * is this job that yields: it moves away when the other comes. Where jobs name each other, in pairs or rings, the one
     * whose name comes first yields to nobody, so that all come to rest. Empty (the default) for none.
     */
    public Optional<String> antiAffinity() {
        return Optional.ofNullable(values.antiAffinity);
    }

    /**
     * Tells whether each item stays where it was placed first, whoever joins; false by default. While its instance is gone,
     * or may not have it, it goes to another of the same host, and else waits for that host. The strategy places items that
     * were never placed: with the first instance that comes all of them, unless {@link #maxItemsPerInstance()} says less, or
     * the job becomes static once its items are spread.
     */
    public boolean staticSharding() {
        return values.staticSharding;
    }

    /**
     * Returns how long the items of an instance that shuts down wait for its host to be back, before they go to others; zero
     * (the default) for not at all. With it a rolling restart moves nothing: the first instance of that host that comes and
     * has no items of the job gets them. Meanwhile they don't run, and no health complains of it. An instance that dies
     * doesn't count as one that shuts down, and its items go to others at once. Of no use where whoever is restarted comes
     * back under another host name.
     */
    public Duration restartGrace() {
        return values.restartGrace;
    }

    /**
     * Returns the {@link JobErrorHandler#type()} that is told of item runs that fail: {@code LOG} (the default), {@code
     * IGNORE}, {@code WEBHOOK} if the registry has one, or one of your own.
     */
    public String errorHandler() {
        return values.errorHandler;
    }

    /**
     * Tells whether scheduled fires wait until an operator resumes the job; false by default. Once an operator has paused or
     * resumed it, that counts, whatever a later definition says. Manual triggers are served.
     */
    public boolean paused() {
        return values.paused;
    }

    /** Tells whether a {@link DataflowJob} repeats until it finds nothing; false by default. */
    public boolean streaming() {
        return values.streaming;
    }

    /**
     * Tells whether the end of every fire must be known, because the job was registered with an {@link OnceListener}. Its
     * registration sets it, whatever it was.
     */
    public boolean onceListeners() {
        return values.onceListeners;
    }

    /**
     * Returns the number that an operator raises after ZooKeeper was restored from a backup, so that fencing tokens go
     * on rising; 0 by default.
     */
    public int fenceEpoch() {
        return values.fenceEpoch;
    }

    /**
     * Returns the definition's revision: a lower one never replaces a higher; 0 by default. Of equal ones the last registered is
     * in force for as long as the process that registered it hosts the job; then one of an instance that does.
     */
    public long revision() {
        return values.revision;
    }

    /** Returns a builder that starts from this configuration. */
    public Builder toBuilder() {
        return new Builder(values);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobConfiguration that && values.fields().equals(that.values.fields());
    }

    @Override
    public int hashCode() {
        return values.fields().hashCode();
    }

    @Override
    public String toString() {
        return "JobConfiguration" + values.fields();
    }

    /** Collects a configuration; {@link #build} checks it. Not thread-safe. */
    public static final class Builder {
        private final String jobName;
        private int shardingTotalCount;
        private Scope scope = Scope.SHARDED;
        private Schedule schedule = Schedule.onDemand();
        private Map<Integer, String> shardingItemParameters = Map.of();
        private String jobParameter = "";
        private String description = "";
        private boolean failover = true;
        private int maxAttempts = 3;
        private MisfirePolicy misfire = MisfirePolicy.fireOnce();
        private @Nullable Duration misfireThreshold;
        private @Nullable Duration catchUpWindow;
        private OverlapPolicy overlap = OverlapPolicy.skip();
        private @Nullable Duration timeout;
        private RetryPolicy retry = RetryPolicy.none();
        private int quarantineAfter;
        private int concurrency;
        private SessionLossPolicy sessionLoss = SessionLossPolicy.INTERRUPT;
        private Duration shutdownGrace = Duration.ofSeconds(30);
        private String shardingStrategy = DEFAULT_STRATEGY;
        private @Nullable InstanceMatch requiredInstances;
        private @Nullable InstanceMatch preferredInstances;
        private int maxItemsPerInstance;
        private @Nullable String antiAffinity;
        private boolean staticSharding;
        private Duration restartGrace = Duration.ZERO;
        private String errorHandler = DEFAULT_ERROR_HANDLER;
        private boolean paused;
        private boolean streaming;
        private boolean onceListeners;
        private int fenceEpoch;
        private long revision;

        private Builder(String jobName, int shardingTotalCount) {
            this.jobName = jobName;
            this.shardingTotalCount = shardingTotalCount;
        }

        private Builder(Builder from) {
            jobName = from.jobName;
            shardingTotalCount = from.shardingTotalCount;
            scope = from.scope;
            schedule = from.schedule;
            shardingItemParameters = from.shardingItemParameters;
            jobParameter = from.jobParameter;
            description = from.description;
            failover = from.failover;
            maxAttempts = from.maxAttempts;
            misfire = from.misfire;
            misfireThreshold = from.misfireThreshold;
            catchUpWindow = from.catchUpWindow;
            overlap = from.overlap;
            timeout = from.timeout;
            retry = from.retry;
            quarantineAfter = from.quarantineAfter;
            concurrency = from.concurrency;
            sessionLoss = from.sessionLoss;
            shutdownGrace = from.shutdownGrace;
            shardingStrategy = from.shardingStrategy;
            requiredInstances = from.requiredInstances;
            preferredInstances = from.preferredInstances;
            maxItemsPerInstance = from.maxItemsPerInstance;
            antiAffinity = from.antiAffinity;
            staticSharding = from.staticSharding;
            restartGrace = from.restartGrace;
            errorHandler = from.errorHandler;
            paused = from.paused;
            streaming = from.streaming;
            onceListeners = from.onceListeners;
            fenceEpoch = from.fenceEpoch;
            revision = from.revision;
        }

        /** Sets how many items the job has. */
        public Builder shardingTotalCount(int count) {
            this.shardingTotalCount = count;
            return this;
        }

        /** See {@link JobConfiguration#scope()}. */
        public Builder scope(Scope scope) {
            this.scope = scope;
            return this;
        }

        /** See {@link JobConfiguration#schedule()}. */
        public Builder schedule(Schedule schedule) {
            this.schedule = schedule;
            return this;
        }

        /** See {@link JobConfiguration#shardingItemParameters()}. */
        public Builder shardingItemParameters(Map<Integer, String> parameters) {
            this.shardingItemParameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
            return this;
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
                        jobName, "shardingItemParameters", parameters, "the form 0=a,1=b with each item once");
            }
            return shardingItemParameters(parsed);
        }

        /** See {@link JobConfiguration#jobParameter()}. */
        public Builder jobParameter(String parameter) {
            this.jobParameter = parameter;
            return this;
        }

        /** See {@link JobConfiguration#description()}. */
        public Builder description(String description) {
            this.description = description;
            return this;
        }

        /** See {@link JobConfiguration#failover()}. */
        public Builder failover(boolean failover) {
            this.failover = failover;
            return this;
        }

        /** See {@link JobConfiguration#maxAttempts()}. */
        public Builder maxAttempts(int attempts) {
            this.maxAttempts = attempts;
            return this;
        }

        /** See {@link JobConfiguration#misfire()}. */
        public Builder misfire(MisfirePolicy policy) {
            this.misfire = policy;
            return this;
        }

        /** See {@link JobConfiguration#misfireThreshold()}; null is the default. */
        public Builder misfireThreshold(@Nullable Duration threshold) {
            this.misfireThreshold = threshold;
            return this;
        }

        /** See {@link JobConfiguration#catchUpWindow()}; null is the default. */
        public Builder catchUpWindow(@Nullable Duration window) {
            this.catchUpWindow = window;
            return this;
        }

        /** See {@link JobConfiguration#overlap()}. */
        public Builder overlap(OverlapPolicy policy) {
            this.overlap = policy;
            return this;
        }

        /** See {@link JobConfiguration#timeout()}; null is the default. */
        public Builder timeout(@Nullable Duration limit) {
            this.timeout = limit;
            return this;
        }

        /** See {@link JobConfiguration#retry()}. */
        public Builder retry(RetryPolicy policy) {
            this.retry = policy;
            return this;
        }

        /** See {@link JobConfiguration#quarantineAfter()}. */
        public Builder quarantineAfter(int failures) {
            this.quarantineAfter = failures;
            return this;
        }

        /** See {@link JobConfiguration#concurrency()}. */
        public Builder concurrency(int items) {
            this.concurrency = items;
            return this;
        }

        /** See {@link JobConfiguration#sessionLoss()}. */
        public Builder sessionLoss(SessionLossPolicy policy) {
            this.sessionLoss = policy;
            return this;
        }

        /** See {@link JobConfiguration#shutdownGrace()}. */
        public Builder shutdownGrace(Duration grace) {
            this.shutdownGrace = grace;
            return this;
        }

        /** See {@link JobConfiguration#shardingStrategy()}. */
        public Builder shardingStrategy(String type) {
            this.shardingStrategy = type;
            return this;
        }

        /**
         * See {@link JobConfiguration#requiredInstances()}; blank text is the default.
         *
         * @param match in the form of {@link InstanceMatch}, such as {@code gpu & !batch}
         * @throws JobConfigurationException when the text has another form
         */
        public Builder requiredInstances(String match) {
            this.requiredInstances = match("requiredInstances", match);
            return this;
        }

        /**
         * See {@link JobConfiguration#preferredInstances()}; blank text is the default.
         *
         * @param match in the form of {@link InstanceMatch}, such as {@code zone=eu}
         * @throws JobConfigurationException when the text has another form
         */
        public Builder preferredInstances(String match) {
            this.preferredInstances = match("preferredInstances", match);
            return this;
        }

        private @Nullable InstanceMatch match(String field, String text) {
            try {
                return text.isBlank() ? null : InstanceMatch.parse(text);
            } catch (IllegalArgumentException e) {
                throw new JobConfigurationException(jobName, field, text, String.valueOf(e.getMessage()));
            }
        }

        /** See {@link JobConfiguration#maxItemsPerInstance()}. */
        public Builder maxItemsPerInstance(int items) {
            this.maxItemsPerInstance = items;
            return this;
        }

        /** See {@link JobConfiguration#antiAffinity()}; null is the default. */
        public Builder antiAffinity(@Nullable String job) {
            this.antiAffinity = job;
            return this;
        }

        /** See {@link JobConfiguration#staticSharding()}. */
        public Builder staticSharding(boolean pinned) {
            this.staticSharding = pinned;
            return this;
        }

        /** See {@link JobConfiguration#restartGrace()}. */
        public Builder restartGrace(Duration grace) {
            this.restartGrace = grace;
            return this;
        }

        /** See {@link JobConfiguration#errorHandler()}. */
        public Builder errorHandler(String type) {
            this.errorHandler = type;
            return this;
        }

        /** See {@link JobConfiguration#paused()}. */
        public Builder paused(boolean paused) {
            this.paused = paused;
            return this;
        }

        /** See {@link JobConfiguration#streaming()}. */
        public Builder streaming(boolean streaming) {
            this.streaming = streaming;
            return this;
        }

        /** See {@link JobConfiguration#onceListeners()}. */
        public Builder onceListeners(boolean onceListeners) {
            this.onceListeners = onceListeners;
            return this;
        }

        /** See {@link JobConfiguration#fenceEpoch()}. */
        public Builder fenceEpoch(int epoch) {
            this.fenceEpoch = epoch;
            return this;
        }

        /** See {@link JobConfiguration#revision()}. */
        public Builder revision(long revision) {
            this.revision = revision;
            return this;
        }

        /**
         * Checks everything and makes the configuration. A cron expression is checked when the job is registered.
         *
         * @throws JobConfigurationException naming the field, its value and what would be accepted
         */
        public JobConfiguration build() {
            require(NAME.matcher(jobName).matches(), "jobName", jobName, NAME.pattern());
            require(
                    shardingTotalCount >= 1 && shardingTotalCount <= MAX_ITEMS,
                    "shardingTotalCount",
                    shardingTotalCount,
                    "1 to " + MAX_ITEMS);
            requireFitting(scope);
            for (Integer item : shardingItemParameters.keySet()) {
                require(
                        item >= 0 && item < shardingTotalCount,
                        "shardingItemParameters",
                        item + "=…",
                        "items from 0 to " + (shardingTotalCount - 1));
            }
            require(maxAttempts >= 1, "maxAttempts", maxAttempts, "1 or more");
            requirePositive("misfireThreshold", misfireThreshold);
            requirePositive("catchUpWindow", catchUpWindow);
            requirePositive("timeout", timeout);
            require(quarantineAfter >= 0, "quarantineAfter", quarantineAfter, "0 or more");
            require(concurrency >= 0, "concurrency", concurrency, "0 or more");
            requireZeroOrMore("shutdownGrace", shutdownGrace);
            requireZeroOrMore("restartGrace", restartGrace);
            require(!shardingStrategy.isBlank(), "shardingStrategy", shardingStrategy, "a strategy's type");
            require(maxItemsPerInstance >= 0, "maxItemsPerInstance", maxItemsPerInstance, "0 or more");
            require(
                    antiAffinity == null || (NAME.matcher(antiAffinity).matches() && !antiAffinity.equals(jobName)),
                    "antiAffinity",
                    antiAffinity,
                    "another job's name");
            require(!errorHandler.isBlank(), "errorHandler", errorHandler, "a handler's type");
            require(fenceEpoch >= 0 && fenceEpoch < 2048, "fenceEpoch", fenceEpoch, "0 to 2047");
            require(revision >= 0, "revision", revision, "0 or more");
            require(
                    !onceListeners || firesAsAWhole(schedule.unbounded()),
                    "schedule",
                    schedule,
                    "one by which all items fire at the same instants, because the job has a OnceListener: a cron"
                            + " expression, a fixed rate, once or on demand");
            return new JobConfiguration(new Builder(this));
        }

        /** Refuses what has no meaning in a scope. */
        private void requireFitting(Scope scope) {
            String because = " with scope " + scope;
            require(
                    scope == Scope.SHARDED || shardingTotalCount == 1,
                    "shardingTotalCount",
                    shardingTotalCount,
                    "1" + because);
            if (scope == Scope.SHARDED || scope == Scope.SINGLETON) {
                return;
            }
            require(
                    shardingItemParameters.isEmpty(),
                    "shardingItemParameters",
                    shardingItemParameters,
                    "none" + because + ", whose items have no numbers");
            require(!staticSharding, "staticSharding", true, "false" + because);
            require(restartGrace.isZero(), "restartGrace", restartGrace, "zero" + because);
            require(maxItemsPerInstance == 0, "maxItemsPerInstance", maxItemsPerInstance, "0" + because);
            if (scope == Scope.BROADCAST) {
                String everybody = because + ", where every instance has an item";
                require(
                        shardingStrategy.equals(DEFAULT_STRATEGY),
                        "shardingStrategy",
                        shardingStrategy,
                        "the default, " + DEFAULT_STRATEGY + everybody);
                require(preferredInstances == null, "preferredInstances", preferredInstances, "none" + everybody);
            }
        }

        private static boolean firesAsAWhole(Schedule schedule) {
            return !(schedule instanceof Schedule.FixedDelay
                    || schedule instanceof Schedule.Adaptive
                    || schedule instanceof Schedule.Continuous);
        }

        private void requireZeroOrMore(String field, Duration value) {
            require(!value.isNegative() && value.compareTo(Schedule.LONGEST) <= 0, field, value, "zero to 36500 days");
        }

        private void requirePositive(String field, @Nullable Duration value) {
            require(
                    value == null || (value.compareTo(Duration.ZERO) > 0 && value.compareTo(Schedule.LONGEST) <= 0),
                    field,
                    value,
                    "a positive duration of at most 36500 days");
        }

        private void require(boolean holds, String field, @Nullable Object value, String accepted) {
            if (!holds) {
                throw new JobConfigurationException(jobName, field, value, accepted);
            }
        }

        private Map<String, @Nullable Object> fields() {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            fields.put("jobName", jobName);
            fields.put("shardingTotalCount", shardingTotalCount);
            fields.put("scope", scope);
            fields.put("schedule", schedule);
            fields.put("shardingItemParameters", shardingItemParameters);
            fields.put("jobParameter", jobParameter);
            fields.put("description", description);
            fields.put("failover", failover);
            fields.put("maxAttempts", maxAttempts);
            fields.put("misfire", misfire);
            fields.put("misfireThreshold", misfireThreshold);
            fields.put("catchUpWindow", catchUpWindow);
            fields.put("overlap", overlap);
            fields.put("timeout", timeout);
            fields.put("retry", retry);
            fields.put("quarantineAfter", quarantineAfter);
            fields.put("concurrency", concurrency);
            fields.put("sessionLoss", sessionLoss);
            fields.put("shutdownGrace", shutdownGrace);
            fields.put("shardingStrategy", shardingStrategy);
            fields.put("requiredInstances", requiredInstances);
            fields.put("preferredInstances", preferredInstances);
            fields.put("maxItemsPerInstance", maxItemsPerInstance);
            fields.put("antiAffinity", antiAffinity);
            fields.put("staticSharding", staticSharding);
            fields.put("restartGrace", restartGrace);
            fields.put("errorHandler", errorHandler);
            fields.put("paused", paused);
            fields.put("streaming", streaming);
            fields.put("onceListeners", onceListeners);
            fields.put("fenceEpoch", fenceEpoch);
            fields.put("revision", revision);
            return fields;
        }
    }
}
