package io.ostraka.remote;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.Schedule;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.lite.JobHandle;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Configuration of an application's jobs, and of its connection to ZooKeeper, from a central platform of the
 * organisation. This class asks the platform over HTTP, at the start and then at intervals. The platform's values take
 * precedence over the application's own, and an operator's override takes precedence over both.
 *
 * <pre>{@code
 * RemoteConfiguration remote = RemoteConfiguration.newBuilder(URI.create("https://platform.example.org"), "orders")
 *         .key("orders-1", Secret.of("${env:OSTRAKA_REMOTE_KEY}"))
 *         .trust("p1", publicKeyOfThePlatform)
 *         .directory(Path.of("data"))
 *         .load(List.of(settle));
 * ZooKeeperRegistry registry = remote.registry("zk1:2181", "orders").connect();
 * remote.host(registry, new SettleJob(), "settle");
 * remote.follow(registry);
 * }</pre>
 *
 * <p>An answer is accepted as a whole or not at all: its signature must be valid, its jobs, fields and servers must be
 * allowed, and its values must be valid. After a refused answer, the configuration stays as it is, and {@link #status}
 * and the health of the instance contain the reason. This class never reads a class name, a script or an expression
 * from an answer.
 *
 * <p>The format of requests and answers is described in the project's document "The wire format of remote
 * configuration". Thread-safe.
 */
public final class RemoteConfiguration implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RemoteConfiguration.class);

    /** Number of consecutive requests without an answer after which the instance's health reports the problem. */
    private static final int UNANSWERED = 3;

    /**
     * Largest accepted lead of the time in the file over this machine's clock. A clock may have been ahead when the
     * file was written.
     */
    private static final Duration CLOCKS_APART = Duration.ofHours(1);

    /**
     * Shortest time between two writes that store only the time of a confirmation, so that not every request causes a
     * write.
     */
    private static final Duration KEEPS_CONFIRMATION = Duration.ofHours(1);

    /** Runs tasks after a pause. */
    interface Ticker extends AutoCloseable {
        void after(Duration pause, Runnable task);

        @Override
        void close();

        /** Returns a ticker with a daemon thread of its own, which it starts with the first task. */
        static Ticker threaded() {
            ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "ostraka-remote");
                thread.setDaemon(true);
                return thread;
            });
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            return new Ticker() {
                @Override
                public void after(Duration pause, Runnable task) {
                    if (!executor.isShutdown()) {
                        executor.schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS);
                    }
                }

                @Override
                public void close() {
                    executor.shutdown();
                }
            };
        }
    }

    private final Map<String, JobConfiguration> local;
    private final Platform platform;
    private final JobRules rules;
    private final RemoteBuilder settings;
    private final @Nullable AnswerFile file;
    private final Pauses pauses;
    private final Ticker ticker;
    private final Clock clock;
    private final HealthReporter reporter = new HealthReporter();
    private final AcceptedState none;

    private volatile AcceptedState state;
    /** All present problems; null if there is none. See {@link #showProblem}. */
    private volatile @Nullable String problem;
    /** Connection settings with which this process has started. */
    private volatile Connection connection = Connection.NONE;

    /**
     * Reasons why the registry has refused the platform's configurations of jobs, by job name. These jobs are hosted
     * with the application's own configuration.
     */
    private final Map<String, String> refusedByRegistry = new TreeMap<>();

    /** Why the latest request has brought no accepted answer; null if it has brought one. */
    private @Nullable String unanswered;

    /** Answer on disk; null if there is none. */
    private AnswerFile.@Nullable Kept kept;

    private int failures;
    private @Nullable Consumer<Collection<JobConfiguration>> followed;
    private volatile boolean closed;

    /**
     * The accepted configuration.
     *
     * @param answer latest accepted answer of the platform; null if there is none
     * @param jobs configurations of all jobs, by name
     * @param fields names of the fields that the platform has set, by job
     */
    private record AcceptedState(
            RemoteStatus.Source source,
            @Nullable Answer answer,
            @Nullable Instant confirmedAt,
            Connection connection,
            Map<String, JobConfiguration> jobs,
            Map<String, Set<String>> fields) {}

    RemoteConfiguration(
            RemoteBuilder builder,
            Map<String, JobConfiguration> local,
            Platform.Exchange exchange,
            Ticker ticker,
            Clock clock) {
        this.local = Map.copyOf(local);
        this.settings = builder.copy();
        this.platform = new Platform(settings, exchange, clock);
        this.rules = new JobRules(local, settings.jobs, settings.fields);
        this.file = settings.directory == null
                ? null
                : new AnswerFile(settings.directory, settings.application, settings.environment, settings.requireKey());
        this.pauses = new Pauses(settings.pollInterval);
        this.ticker = ticker;
        this.clock = clock;
        this.none = new AcceptedState(RemoteStatus.Source.LOCAL, null, null, Connection.NONE, this.local, Map.of());
        this.state = none;
    }

    /**
     * Returns a builder.
     *
     * @param platform address of the platform: an HTTPS address, or a plain HTTP address on this machine
     * @param application name of the application on the platform
     * @throws IllegalArgumentException if an argument is not accepted
     */
    public static RemoteBuilder newBuilder(URI platform, String application) {
        return new RemoteBuilder(platform, application);
    }

    // ---- the configuration in effect

    /**
     * Returns a registry builder with the platform's connection settings. The registry's health reports problems of
     * this configuration.
     *
     * @param servers ZooKeeper servers that are used if the platform sets none
     * @param namespace name of the application in ZooKeeper
     */
    public RegistryBuilder registry(String servers, String namespace) {
        return registry(servers, namespace, own -> {});
    }

    /**
     * Returns a registry builder with the application's own settings. The platform's connection settings take
     * precedence over them. Otherwise, this method works like {@link #registry(String, String)}.
     *
     * @param own applies the application's own settings to the builder; called once, before this method returns
     */
    public RegistryBuilder registry(String servers, String namespace, Consumer<RegistryBuilder> own) {
        return connection.builder(servers, namespace, own, settings.secrets).eventSubscriber(reporter);
    }

    /**
     * Returns the subscriber that reports problems of this configuration to the health of a registry. Needed only for a
     * registry that was not built with {@link #registry}, which adds the subscriber itself.
     */
    public EventSubscriber healthReporter() {
        return reporter;
    }

    /**
     * Hosts a job with its effective configuration, without options. See {@link #host(ZooKeeperRegistry, Job, String,
     * JobOptions)}.
     */
    public JobHandle host(ZooKeeperRegistry registry, Job job, String name) {
        return host(registry, job, name, JobOptions.none());
    }

    /**
     * Hosts a job with its effective configuration, with a schedule or on demand. If the registry does not accept the
     * platform's settings, for example a fixed delay for a job with a once-listener, this method hosts the job with the
     * application's own configuration, and {@link #status} contains the reason. A platform therefore cannot keep an
     * application from starting.
     *
     * @param name name of a job that was passed to {@code load()}
     * @throws IllegalArgumentException if the application has no such job
     * @throws JobConfigurationException if the application's own configuration is not accepted, or if the registry
     *     already hosts the job
     * @throws io.ostraka.api.CoordinationException if the registry is closed
     */
    public JobHandle host(ZooKeeperRegistry registry, Job job, String name, JobOptions options) {
        JobConfiguration effective = configuration(name);
        try {
            return host(registry, job, effective, options);
        } catch (JobConfigurationException e) {
            JobConfiguration own = local.get(name);
            if (own == null || own.equals(effective)) {
                throw e;
            }
            JobHandle handle = host(registry, job, own, options);
            useOwn(own, e);
            return handle;
        }
    }

    private static JobHandle host(ZooKeeperRegistry registry, Job job, JobConfiguration effective, JobOptions options) {
        return effective.schedule() instanceof Schedule.OnDemand
                ? registry.oneOff(job, effective, options)
                : registry.schedule(job, effective, options);
    }

    private synchronized void useOwn(JobConfiguration own, JobConfigurationException e) {
        AcceptedState before = state;
        Map<String, JobConfiguration> jobs = new TreeMap<>(before.jobs);
        jobs.put(own.jobName(), own);
        Map<String, Set<String>> fields = new TreeMap<>(before.fields);
        fields.remove(own.jobName());
        state = new AcceptedState(
                before.source,
                before.answer,
                before.confirmedAt,
                before.connection,
                Map.copyOf(jobs),
                Map.copyOf(fields));
        refusedByRegistry.put(own.jobName(), String.valueOf(e.getMessage()));
        showProblem(true);
        log.warn("{}", problem);
    }

    /**
     * Returns the effective configuration of a job. For a job that the platform does not configure, this is the
     * application's own configuration.
     *
     * @throws IllegalArgumentException if the application has no such job
     */
    public JobConfiguration configuration(String job) {
        JobConfiguration found = state.jobs.get(job);
        if (found == null) {
            throw new IllegalArgumentException("'" + job + "' is not a job that was passed to load(); these are: "
                    + new TreeSet<>(local.keySet()));
        }
        return found;
    }

    /** Returns the names of the fields of a job that the platform has set; empty if it has set none. */
    public Set<String> fields(String job) {
        return state.fields.getOrDefault(job, Set.of());
    }

    /** Returns the state of this configuration. */
    public RemoteStatus status() {
        AcceptedState now = state;
        Answer answer = now.answer;
        Set<String> absent = answer == null
                ? Set.of()
                : local.keySet().stream()
                        .filter(job -> rules.configures(job) && !answer.jobs().containsKey(job))
                        .collect(Collectors.toSet());
        Set<String> unknown =
                answer == null ? new TreeSet<>() : new TreeSet<>(answer.jobs().keySet());
        unknown.removeAll(local.keySet());
        return new RemoteStatus(
                now.source,
                answer == null ? 0 : answer.revision(),
                answer == null ? null : answer.issuedAt(),
                now.confirmedAt,
                problem,
                new TreeSet<>(absent),
                new TreeSet<>(unknown),
                !now.connection.equals(connection));
    }

    // ---- asking the platform

    /** Reads the stored answer from disk and asks the platform once. */
    RemoteConfiguration start() {
        readFile();
        try {
            poll().toCompletableFuture().join();
        } catch (RuntimeException e) {
            log.error("the platform could not be asked; this is a defect, please report it", e);
        }
        connection = state.connection;
        return this;
    }

    /**
     * Asks the platform at intervals from now on, until {@link #close}, and applies each newer configuration to the
     * registry's jobs. For a job that the registry does not host, a later call of {@link #host} uses the newer
     * configuration. Call this method after {@link #host} was called for the jobs.
     *
     * @throws IllegalStateException if the method was called before
     */
    public void follow(ZooKeeperRegistry registry) {
        follow(changed -> {
            Map<String, JobHealth> hosted = registry.health().jobs();
            registry.redefine(changed.stream()
                    .filter(each -> hosted.containsKey(each.jobName())
                            && hosted.get(each.jobName()).hosted())
                    .toList());
        });
    }

    synchronized void follow(Consumer<Collection<JobConfiguration>> registry) {
        if (followed != null) {
            throw new IllegalStateException("this configuration is followed already");
        }
        followed = registry;
        ticker.after(pauses.first(ThreadLocalRandom.current().nextDouble()), this::pollAgain);
    }

    private void pollAgain() {
        if (closed) {
            return;
        }
        CompletionStage<Duration> polled;
        try {
            polled = poll();
        } catch (RuntimeException e) {
            log.error("the platform could not be asked; this is a defect, please report it", e);
            ticker.after(Pauses.LONGEST, this::pollAgain);
            return;
        }
        polled.whenComplete((least, error) -> {
            int failed;
            synchronized (this) {
                failed = failures;
            }
            Duration asked = least == null ? Duration.ZERO : least;
            ticker.after(pauses.next(failed, ThreadLocalRandom.current().nextDouble(), asked), this::pollAgain);
        });
    }

    /**
     * Asks the platform once. Returns a stage with the shortest pause before the next request; the stage never
     * completes exceptionally.
     */
    CompletionStage<Duration> poll() {
        Answer present = state.answer;
        return platform.ask(present == null ? null : present.tag()).handle((answered, error) -> {
            if (closed) { // the registry is probably closed as well
                return Duration.ZERO;
            }
            if (answered == null) {
                return failed(error);
            }
            try {
                accept(answered);
                succeeded();
                return Duration.ZERO;
            } catch (RefusedAnswerException e) {
                return failed(new Platform.FailedException("refused: " + e.getMessage(), true, Duration.ZERO, e));
            } catch (Throwable e) { // an exception must not end the polling
                log.error("an answer of the platform could not be applied; this is a defect, please report it", e);
                return failed(e);
            }
        });
    }

    private synchronized void succeeded() {
        boolean answersAgain = failures > 0;
        failures = 0;
        unanswered = null;
        showProblem(true);
        if (answersAgain) {
            log.info("the platform answers again; {}", inEffect());
        }
    }

    private synchronized Duration failed(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        boolean answered = !(cause instanceof Platform.FailedException known) || known.answered;
        String before = problem;
        unanswered = "remote configuration of '" + settings.application + "' from " + settings.platform + ": "
                + (cause == null ? "no answer" : cause.getMessage());
        failures++;
        showProblem(answered || failures >= UNANSWERED || state.source != RemoteStatus.Source.PLATFORM);
        if (!Objects.equals(problem, before)) {
            log.warn("{}", problem);
        }
        return cause instanceof Platform.FailedException known ? known.retryAfter : Duration.ZERO;
    }

    /**
     * Joins the problems, and reports them to the instance's health.
     *
     * @param report false if the health should not report a new problem yet. If it already reports one, it always
     *     reports the change
     */
    private void showProblem(boolean report) {
        if (unanswered != null) {
            problem = unanswered + "; " + inEffect();
        } else {
            problem = refusedByRegistry.isEmpty() ? null : refusals();
        }
        if (report || reporter.hasProblem()) {
            reporter.report(problem);
        }
    }

    private String inEffect() {
        AcceptedState now = state;
        String source =
                switch (now.source) {
                    case LOCAL -> "the application's own configuration is in effect";
                    case DISK ->
                        "revision " + revision(now) + " from the disk is in effect, which the platform confirmed at "
                                + now.confirmedAt;
                    case PLATFORM -> "revision " + revision(now) + " is in effect";
                };
        return refusedByRegistry.isEmpty() ? source : source + "; " + refusals();
    }

    private String refusals() {
        return "the settings of the platform are not accepted for " + refusedByRegistry
                + "; the application's own configuration of these jobs is in effect until the next revision";
    }

    private static long revision(AcceptedState state) {
        return state.answer == null ? 0 : state.answer.revision();
    }

    // ---- accepting an answer

    private synchronized void accept(Platform.Answered answered) {
        if (closed) {
            return;
        }
        Instant now = clock.instant();
        Answer answer = answered.answer();
        AcceptedState before = state;
        Answer present = before.answer;
        if (answer.unchanged()) {
            state = new AcceptedState(
                    RemoteStatus.Source.PLATFORM, present, now, before.connection, before.jobs, before.fields);
            log.debug("revision {} of the platform is confirmed", answer.revision());
            AnswerFile.Kept last = kept;
            if (last != null && Duration.between(last.confirmedAt(), now).compareTo(KEEPS_CONFIRMATION) > 0) {
                keep(new AnswerFile.Kept(last.document(), last.nonce(), now));
            }
            return;
        }
        if (present != null) {
            requireLater(present, answer);
        }
        AcceptedState next = checked(answer, RemoteStatus.Source.PLATFORM, now);
        if (present != null) {
            requireRisen(before, next);
        }
        apply(before, next);
        refusedByRegistry.clear();
        state = next;
        if (present == null || present.revision() != answer.revision()) {
            int jobs = next.fields.size();
            log.info(
                    "revision {} of the platform is in effect for {} {}{}",
                    answer.revision(),
                    jobs,
                    jobs == 1 ? "job" : "jobs",
                    closing(next));
        }
        keep(new AnswerFile.Kept(answered.document(), answered.nonce(), now));
    }

    private String closing(AcceptedState next) {
        List<String> notes = new ArrayList<>();
        RemoteStatus status = status();
        if (!status.absentJobs().isEmpty()) {
            notes.add("it does not define " + status.absentJobs() + ", so they are paused");
        }
        if (!status.unknownJobs().isEmpty()) {
            notes.add("this application does not have " + status.unknownJobs());
        }
        if (followed != null && !next.connection.equals(connection)) {
            notes.add("its connection settings take effect with the next start");
        }
        return notes.isEmpty() ? "" : "; " + String.join("; ", notes);
    }

    private static void requireLater(Answer present, Answer answer) {
        if (answer.revision() < present.revision()) {
            throw new RefusedAnswerException("the answer has revision " + answer.revision()
                    + ", which is older than the present " + present.revision() + "; to go back, publish the old"
                    + " contents as a new revision");
        }
        if (answer.revision() == present.revision() && !answer.digest().equals(present.digest())) {
            throw new RefusedAnswerException("the answer has other contents than before under the same revision "
                    + answer.revision() + "; publish changed contents as a new revision");
        }
        answer.jobs().forEach((job, settings) -> {
            var known = present.jobs().get(job);
            if (known != null
                    && settings.has(JobRules.REVISION)
                    && Objects.equals(settings.get(JobRules.REVISION), known.get(JobRules.REVISION))
                    && !settings.equals(known)) {
                throw new RefusedAnswerException("job '" + job + "' has other settings than before under the same"
                        + " revision " + settings.get(JobRules.REVISION));
            }
        });
    }

    /**
     * Refuses a lower revision of a job, and other settings under the same revision, because the definition in
     * ZooKeeper would then stay in effect.
     */
    private static void requireRisen(AcceptedState before, AcceptedState next) {
        next.fields.keySet().forEach(job -> {
            JobConfiguration old = before.jobs.get(job);
            JobConfiguration changed = next.jobs.get(job);
            if (old != null
                    && changed != null
                    && changed.revision() <= old.revision()
                    && (changed.revision() < old.revision() || !changed.equals(old))) {
                throw new RefusedAnswerException("job '" + job + "' has revision " + changed.revision()
                        + ", and its present revision is " + old.revision()
                        + "; accepted: a higher revision for other settings, and never a lower one");
            }
        });
    }

    private AcceptedState checked(Answer answer, RemoteStatus.Source source, Instant confirmedAt) {
        Connection read = Connection.read(answer.connection(), settings.servers, settings.secrets.keySet());
        try {
            read.builder("localhost:2181", "any", own -> {}, settings.secrets);
        } catch (IllegalArgumentException e) { // without this check, the next start would fail
            throw new RefusedAnswerException("connection: " + e.getMessage(), e);
        }
        Map<String, JobConfiguration> jobs = new TreeMap<>(local);
        Map<String, Set<String>> fields = new TreeMap<>();
        rules.merge(answer).forEach((job, merged) -> {
            jobs.put(job, merged.effective());
            fields.put(job, Set.copyOf(merged.fields()));
        });
        return new AcceptedState(source, answer, confirmedAt, read, Map.copyOf(jobs), Map.copyOf(fields));
    }

    /** Applies to the hosted jobs the configurations whose revision has increased. If one of them cannot be applied,
     * applies none. */
    private void apply(AcceptedState before, AcceptedState next) {
        Consumer<Collection<JobConfiguration>> registry = followed;
        if (registry == null) {
            return;
        }
        List<JobConfiguration> changed = next.jobs.values().stream()
                .filter(each -> {
                    JobConfiguration old = before.jobs.get(each.jobName());
                    return old != null && each.revision() > old.revision();
                })
                .toList();
        try {
            registry.accept(changed);
        } catch (OstrakaException e) { // for example, a job with a OnceListener does not accept the schedule
            throw RefusedAnswerException.of(e);
        }
    }

    // ---- the disk

    private void readFile() {
        AnswerFile from = file;
        if (from == null) {
            return;
        }
        try {
            from.read().ifPresent(found -> {
                Duration age = Duration.between(found.confirmedAt(), clock.instant());
                if (age.compareTo(settings.maxAge) > 0 || age.compareTo(CLOCKS_APART.negated()) < 0) {
                    throw new RefusedAnswerException("the platform confirmed it at " + found.confirmedAt()
                            + "; accepted: a time in the last " + settings.maxAge);
                }
                Answer answer = Answer.read(
                        Jws.verified(found.document(), settings.trusted),
                        settings.application,
                        settings.environment,
                        found.nonce());
                state = checked(answer, RemoteStatus.Source.DISK, found.confirmedAt());
                kept = found;
            });
        } catch (IOException | RefusedAnswerException e) {
            log.warn("the answer of the platform in {} is not used: {}", from.path(), e.getMessage());
        }
    }

    private void keep(AnswerFile.Kept next) {
        AnswerFile to = file;
        if (to == null) {
            return;
        }
        kept = next; // even if the write fails, so that the next poll does not try again
        try {
            to.write(next);
        } catch (IOException e) {
            log.warn(
                    "the answer of the platform cannot be kept in {}, so a start without the platform would use the"
                            + " application's own configuration: {}",
                    to.path(),
                    e.toString());
        }
    }

    /**
     * Ends the requests to the platform. The jobs keep their configuration, even if an answer arrives later. A second
     * call does nothing.
     */
    @Override
    public void close() {
        synchronized (this) { // waits until an answer has been applied
            closed = true;
        }
        ticker.close();
    }

    /** Reports a problem of the remote configuration in the health of the instance. It is a subscriber only for this
     * purpose, and ignores all events. */
    private static final class HealthReporter implements EventSubscriber {
        private @Nullable SubscriberContext instance;
        private @Nullable String latest;

        @Override
        public synchronized void started(SubscriberContext context) {
            instance = context;
            context.problem(latest);
        }

        synchronized boolean hasProblem() {
            return latest != null;
        }

        synchronized void report(@Nullable String text) {
            latest = text;
            if (instance != null) {
                instance.problem(text);
            }
        }

        @Override
        public boolean receives(Class<? extends Event> kind) {
            return false;
        }

        @Override
        public void on(Event event) {}

        @Override
        public String toString() {
            return "remote configuration";
        }
    }
}
