package io.ostraka.faults.worker;

import io.ostraka.api.FireListener;
import io.ostraka.api.Health;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.EngineThreads;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.run.JobTypes;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.QuartzFireTimer;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.recorder.Recorder;
import io.ostraka.faults.recorder.RecordingListener;
import io.ostraka.faults.recorder.RecordingOnceListener;
import io.ostraka.faults.simulation.CoordinationHooks;
import io.ostraka.fixtures.process.ParentCommands;
import io.ostraka.history.History;
import io.ostraka.lite.Powers;
import io.ostraka.lite.ProcessExtension;
import io.ostraka.operations.Commands;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A worker process. It runs the engine with this machine's threads and clocks and a real ZooKeeper, set up as in an
 * application. There are only two differences: the wall clock can be set, and a defect can be inserted between the
 * engine and its store. The process hosts the {@link Workload}.
 *
 * <p>It receives lines of the form {@code <number> <verb> <arguments>}, and answers each line with
 * {@code <number> ok <text>} or {@code <number> failed <text>}. The answers may come in any order.
 */
public final class WorkerProgram {
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    /** Interval between checks for defects that the engine reports. */
    private static final long LOOK_MILLIS = 100;
    /** Number of items that a release command covers. */
    private static final int MOST_ITEMS = 12;
    /** The tag that some jobs require of an instance. Workers with a number above 3 do not have this tag. */
    private static final Map<String, String> SSD = Map.of(Workload.TAG, "ssd");

    private static final Pattern SPARE = Pattern.compile("worker-[4-9]-");
    /** Names of the workers in the other zone: those with an odd number. */
    private static final Pattern ODD = Pattern.compile("worker-[13579]-");

    private final WorkerSettings settings;
    private final MovableClock clock = new MovableClock();
    private final EngineThreads machine = new EngineThreads(clock, new MovableFireTimer(clock, new QuartzFireTimer()));
    private final Set<String> defects = new HashSet<>();
    private final LogSink sink;
    private final Recorder recorder;
    private final UserCode userCode;
    private final OnceListenerBody onceListenerBody;
    private final CountingStore store;
    private final Coordination coordination;
    private final @Nullable History history;
    private final JobEngine engine;
    /**
     * Number of runs that the process may execute at the same time: the smaller of the limits for quick and for slow
     * runs.
     */
    private final int places;

    private volatile Seen seen;

    /** A health, and the time of the check that first found it. */
    private record Seen(Health health, long sinceNanos) {}

    private WorkerProgram(WorkerSettings settings) throws IOException {
        this.settings = settings;
        sink = new LogSink(new EventLog(Path.of(settings.events())));
        recorder = new Recorder(settings.name(), clock, sink);
        userCode =
                new UserCode(recorder, new ResourceClient(settings.name(), settings.resourcePort()), settings.seed());
        onceListenerBody = new OnceListenerBody(userCode);
        Duration session = Duration.ofMillis(settings.sessionTimeoutMillis());
        store = new CountingStore(new ZooKeeperNodeStore(new ZooKeeperConfig(
                settings.servers(),
                settings.namespace(),
                session,
                CONNECTION_TIMEOUT.compareTo(session) < 0 ? CONNECTION_TIMEOUT : session,
                RETRY_PAUSE)));
        CoordinationHooks hooks = settings.mutant() == null
                ? CoordinationHooks.NONE
                : settings.mutant().seam();
        coordination = hooks.coordination(new TreeCoordination(hooks.store(store), clock));
        history = settings.history() == null ? null : settings.history().history();
        Platform all = machine.platform();
        EngineSettings application = EngineSettings.of(
                        settings.name(), ProcessHandle.current().pid())
                .withNamespace(settings.namespace())
                .withAttributes(
                        ODD.matcher(settings.name()).lookingAt() ? "b" : "a",
                        SPARE.matcher(settings.name()).lookingAt() ? Map.of() : SSD,
                        1);
        places = Math.min(application.slots().quick(), application.slots().slow());
        engine = new JobEngine(
                application,
                coordination,
                new Platform(
                        all.clock(),
                        all.fireTimer(),
                        all.timer(),
                        all.engineThreads(),
                        sink.correcting(all.workers()),
                        all.waiting()),
                extensions());
        seen = new Seen(engine.health(), clock.monotonicNanos());
    }

    private Extensions extensions() {
        Powers powers = Powers.NONE
                .withScriptJobs(true)
                .withHttpHosts(List.of("127.0.0.1"))
                .withPrivateHosts(List.of("127.0.0.1"));
        Extensions all = Extensions.of(BuiltInStrategies.all());
        return new Extensions(
                        all.strategies(),
                        new JobTypes(ProcessExtension.parts(powers).jobItemExecutors()),
                        all.errorHandlers(),
                        all.interceptors(),
                        all.listeners())
                .withInstanceListeners(
                        List.of(new Preparation(recorder, settings.name().hashCode())))
                .withSubscribers(history == null ? List.of() : List.of(history));
    }

    /** Runs a worker. The only argument is its settings as JSON. */
    public static void main(String[] arguments) throws IOException {
        var program = new WorkerProgram(WorkerSettings.parse(arguments[0]));
        program.start();
        ParentCommands.follow(program::obey);
    }

    private void start() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "shutdown"));
        Executors.newSingleThreadScheduledExecutor(task -> {
                    Thread thread = new Thread(task, "defect check");
                    thread.setDaemon(true);
                    return thread;
                })
                .scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        engine.start();
        for (JobConfiguration job : Workload.jobs(settings.begun())) {
            List<RecordingListener> heard =
                    job.jobParameter().equals(Event.HEARD) ? List.of(new RecordingListener(recorder)) : List.of();
            List<FireListener> listeners = new ArrayList<>(heard);
            if (job.jobName().equals(Workload.ANNOUNCED)) {
                listeners.add(new RecordingOnceListener(recorder, onceListenerBody));
            }
            engine.register(
                    code(job.jobName()),
                    history == null
                            ? job
                            : job.toBuilder().history(HistoryLevel.ALL).build(),
                    JobOptions.none()
                            .interceptors(Workload.reachesOut(job.jobName()) ? List.of(recorder.tries()) : heard)
                            .listeners(listeners));
        }
    }

    private Job code(String job) {
        return switch (job) {
            case Workload.STREAM -> new StreamingJob(userCode);
            case Workload.TASKED -> new TaskedJob(recorder, userCode);
            case Workload.SCRIPT -> ExternalJobs.script(settings);
            case Workload.REQUEST -> ExternalJobs.request(settings);
            default -> new WorkingJob(userCode);
        };
    }

    private void look() {
        Health health = engine.health();
        if (health != seen.health) {
            seen = new Seen(health, clock.monotonicNanos());
        }
        for (JobHealth job : health.jobs().values()) {
            job.reason(JobHealth.Kind.DEFECT).map(JobHealth.Reason::text).ifPresent(text -> {
                if (defects.add(job.job() + " " + text)) {
                    recorder.defect(job.job(), text);
                }
            });
        }
    }

    private void close() {
        engine.close();
        if (history != null) {
            history.close();
        }
        coordination.close();
        machine.close();
    }

    // ---- commands

    private void obey(String order) {
        String[] words = order.split(" ", 3);
        String number = words[0];
        String argument = words.length < 3 ? "" : words[2];
        CompletionStage<String> answer;
        try {
            answer = obey(words[1], argument);
        } catch (RuntimeException e) { // the exception is sent to the parent process
            answer = CompletableFuture.failedFuture(e);
        }
        answer.whenComplete((text, error) -> System.out.println(number
                + (error == null
                        ? " ok " + text
                        : " failed " + String.valueOf(cause(error)).replace('\n', ' '))));
    }

    private static Throwable cause(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private CompletionStage<String> obey(String verb, String argument) {
        switch (verb) {
            case "clock" -> clock.move(Duration.ofMillis(Long.parseLong(argument)));
            case "hurry" -> hurry(Boolean.parseBoolean(argument));
            case "leave" -> new Thread(() -> System.exit(0)).start();
            case "requests" -> recorder.requests(store.transactions(), store.reads(), places);
            case "wellbeing" -> {
                Seen latest = seen;
                Health health = engine.health();
                long nanos = health == latest.health ? clock.monotonicNanos() - latest.sinceNanos : 0;
                recorder.health(health, Duration.ofNanos(nanos));
            }
            case "telling" -> {
                return onceListenerBody.next().thenApply(begun -> "");
            }
            case "health" -> {
                return CompletableFuture.completedFuture(Json.GSON.toJson(engine.health()));
            }
            default -> {
                String[] words = argument.split(" ", 2);
                return ofJob(verb, words[0], words.length < 2 ? "" : words[1]);
            }
        }
        return CompletableFuture.completedFuture("");
    }

    private CompletionStage<String> ofJob(String verb, String job, String value) {
        return switch (verb) {
            case "trigger" -> CompletableFuture.completedFuture(trigger(job, items(value)));
            case "later" -> triggerAfter(job, Duration.ofMillis(Long.parseLong(value)));
            case "release" -> release(job);
            case "pause" -> amend(job, present -> present.withPaused(true));
            case "resume" -> amend(job, present -> present.withPaused(false));
            case "count" -> amend(job, present -> present.withShardingTotalCount(Integer.valueOf(value)));
            case "schedule" -> {
                Schedule schedule = schedule(value);
                yield amend(job, present -> present.withSchedule(schedule));
            }
            case "disable" -> amend(job, present -> present.withDisabledItems(items(value)));
            case "restore" -> amend(job, present -> JobOverride.NONE);
            default -> throw new IllegalArgumentException("unknown command: " + verb);
        };
    }

    private void hurry(boolean on) {
        userCode.hurry(on);
        Path hurried = Path.of(settings.hurried());
        try {
            if (on) {
                Files.writeString(hurried, "");
            } else {
                Files.deleteIfExists(hurried);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Releases all items of the job. For items that are not quarantined, the engine refuses the command. */
    private CompletionStage<String> release(String job) {
        CompletableFuture<?>[] all = IntStream.range(0, MOST_ITEMS)
                .mapToObj(item -> new Commands(engine.operations())
                        .execute(new Command.ReleaseItem(job, Integer.toString(item)), CommandOptions.by("test"))
                        .handle((done, refused) -> "")
                        .toCompletableFuture())
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(all).thenApply(done -> "");
    }

    private CompletionStage<String> amend(String job, UnaryOperator<JobOverride> change) {
        return new Commands(engine.operations()).amend(job, change).thenApply(done -> "");
    }

    private static Set<String> items(String value) {
        return value.isEmpty() ? Set.of() : new TreeSet<>(List.of(value.split(",", -1)));
    }

    private static Schedule schedule(String value) {
        String[] words = value.split(" ", 2);
        return words[0].equals("cron")
                ? Schedule.cron(words[1])
                : Schedule.fixedRate(Duration.ofMillis(Long.parseLong(words[1])));
    }

    private CompletionStage<String> triggerAfter(String job, Duration delay) {
        String runId = UUID.randomUUID().toString();
        return engine.triggerAfter(new Trigger.Request(job, runId, Map.of(), Set.of()), job, delay)
                .thenApply(run -> asked(job, Set.of(), run));
    }

    private String trigger(String job, Set<String> items) {
        return asked(job, items, engine.trigger(job, Map.of(), items));
    }

    private String asked(String job, Set<String> items, JobRun run) {
        recorder.asked(job, items, run);
        return run.runId();
    }
}
