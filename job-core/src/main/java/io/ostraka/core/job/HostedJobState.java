package io.ostraka.core.job;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Mutable state of one job in this instance. Confined to the job's serial executor. */
final class HostedJobState {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /**
     * Number of rejections in a row after which the job still retries at once. After more rejections, the job pauses
     * before each retry, and the pauses grow.
     */
    private static final int RETRIES_AT_ONCE = 3;

    private static final int UNLIMITED = 1 << 30;

    final String name;
    final JobBody body;
    final JobContext context;
    private final SerialExecutor executor;
    /** Items that this instance owns or still runs. */
    final Map<String, HostedItem> items = new TreeMap<>(ItemKeys.ORDER);

    private final Runnable advance;
    private final Consumer<Throwable> failed;
    /**
     * Items that the plan assigns to this instance. Valid for the session and the snapshot in the next two fields.
     * Cached, because there may be thousands of items.
     */
    private Set<String> owned = Set.of();

    private @Nullable Session ownedBy;
    private @Nullable JobSnapshot ownedUnder;
    /** True while a requested advance waits for the executor. */
    private final AtomicBoolean advancing = new AtomicBoolean();

    /** Reasons why the job does not run that {@link HealthReasons} cannot derive from this state, with their texts. */
    private final Map<Kind, String> problems = new EnumMap<>(Kind.class);

    private int rejections;
    /** Message for operators about a refused transaction; null if no operator must act. */
    private @Nullable String refusal;
    /** Largest number of items in one transaction. A refusal halves this number, and a success doubles it. */
    private int mostMoves = UNLIMITED;
    /** True while a pause before the next advance is under way. All replies share one pause. */
    private boolean pausing;

    @Nullable Session session;
    /** True while the session is connected and the instance's node exists. */
    boolean online;
    /**
     * Latest configuration and plan; null before the first read. Written on the serial executor, read on any thread.
     */
    volatile @Nullable JobSnapshot snapshot;
    /** Manual triggers of the job. */
    Triggers triggers = Triggers.NONE;
    /** Operators' requests to stop fires of the job. */
    List<FireStop> stops = List.of();
    /** Reason why the definition is not registered yet; null if it is registered. */
    @Nullable String unregistered = JobContext.UNANSWERED;
    /** True if ZooKeeper does not accept the definition, for example because of its size. */
    boolean definitionRefused;
    /**
     * True while {@link PlanReader} reads the plan. The job makes no decision during that time, because the old plan may
     * be outdated.
     */
    boolean readingPlan;
    /** True if the job must check whether the callers of once-listeners are still alive. */
    boolean attend;
    /** Number of fires in {@link KeptFires}, which sets this field. */
    int keptFires;
    /** True while and after the job drains. Read on any thread. */
    volatile boolean draining;
    /** True if the next advance sends the completions of ended runs. */
    boolean flush;
    /**
     * True after the process has ended this job. This object then ignores all replies, because the process may have
     * begun to host the job again. Otherwise a late reply could make this object mistake a claim of the new {@link
     * HostedJob} for a claim without a run. Written once, read on any thread.
     */
    private volatile boolean over;

    /**
     * @param advance takes all steps that are possible now; called on the serial executor
     * @param failed receives the exceptions of steps; called on the serial executor
     */
    HostedJobState(String name, JobBody body, JobContext context, Runnable advance, Consumer<Throwable> failed) {
        this.name = name;
        this.body = body;
        this.context = context;
        this.executor = context.platform().serialExecutor(context.executors());
        this.advance = advance;
        this.failed = failed;
    }

    /**
     * Runs a step on the serial executor. All exceptions and errors of the step go to the failure handler. May be
     * called on any thread.
     */
    void execute(Runnable step) {
        executor.execute(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                failed.accept(e);
            }
        });
    }

    /**
     * Runs a step like {@link #execute}, unless the same step still waits for the executor. May be called on any thread.
     *
     * @param waiting true while the step waits
     */
    void executeOnce(AtomicBoolean waiting, Runnable step) {
        if (waiting.getAndSet(true)) {
            return;
        }
        try {
            execute(() -> {
                waiting.set(false);
                step.run();
            });
        } catch (Throwable e) { // otherwise the step would never run again
            waiting.set(false);
            throw e;
        }
    }

    /** Calls an action with each run whose code has not returned yet, in a later step. May be called on any thread. */
    void forEachRun(Consumer<ItemRun> action) {
        execute(() -> items.values().stream()
                .map(HostedItem::executing)
                .filter(Objects::nonNull)
                .forEach(action));
    }

    Session session() {
        return Objects.requireNonNull(session, "session");
    }

    JobSnapshot snapshot() {
        return Objects.requireNonNull(snapshot, "snapshot");
    }

    /** Returns whether the plan assigns an item to this instance. */
    boolean owns(String item) {
        Session current = session;
        JobSnapshot known = snapshot;
        if (current == null || known == null) {
            return false;
        }
        if (ownedBy != current || ownedUnder != known) {
            ownedBy = current;
            ownedUnder = known;
            owned = Set.copyOf(known.plan().itemsOf(current.instanceId()));
        }
        return owned.contains(item);
    }

    /**
     * Sends a request and passes the reply to a callback on the serial executor. The callback receives either a value
     * or an error.
     */
    <T> void onReply(Supplier<CompletionStage<T>> request, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        Stages.of(request)
                .whenComplete((value, error) -> execute(() -> {
                    if (!over) {
                        then.accept(value, error);
                    }
                }));
    }

    /**
     * Commits a transaction of items and passes its result to a callback on the serial executor. If the reply is lost,
     * the result is unknown.
     */
    void commit(ItemTransaction transaction, Consumer<TransactionResult> then) {
        onReply(
                () -> context.coordination().items().commit(transaction),
                (result, error) -> then.accept(result == null ? new TransactionResult.Unknown() : result));
    }

    /** Ends the job in this process. Later replies are ignored. */
    void end() {
        over = true;
    }

    boolean over() {
        return over;
    }

    /** Returns whether the end of a fire may have to be recorded in a progress node. */
    boolean mayKeep(Fire fire) {
        return fire.triggered() || keepsScheduledFires();
    }

    /**
     * Returns whether the end of scheduled fires may have to be recorded. This is necessary only for fires with
     * once-listeners.
     */
    boolean keepsScheduledFires() {
        return keptFires > 0 || (snapshot != null && snapshot.onceListeners());
    }

    /** Returns an operator's request to stop the fire of a run; empty if there is none. */
    Optional<FireStop> stopOf(ItemRun run) {
        return FireStop.of(stops, run.item(), run.claim().fire(), run.record().incarnation());
    }

    void accepted() {
        rejections = 0;
        refusal = null;
        mostMoves = mostMoves > UNLIMITED / 2 ? UNLIMITED : mostMoves * 2;
    }

    /**
     * Returns the largest number of items that one transaction may contain.
     *
     * @param parameterLength length of the longest trigger parameters, in characters
     */
    int mostMoves(int parameterLength) {
        return Math.min(mostMoves, ItemTransaction.mostMoves(parameterLength));
    }

    /**
     * Records that ZooKeeper refused a transaction. Later transactions are smaller, even if the size was not the
     * reason: the node of a single item may have caused the refusal, and must not block the other items.
     */
    void refused(int moves, boolean tooLarge) {
        mostMoves = Math.max(1, moves / 2);
        if (!tooLarge) {
            refusal = "ZooKeeper refuses writes for this job; check access rights and quotas";
        } else if (moves <= 1) {
            refusal = "the write for one item is larger than ZooKeeper accepts; see jute.maxbuffer";
        }
    }

    /** Sets a reason why the job does not run; null for the text if the reason has ended. */
    void problem(Kind kind, @Nullable String text) {
        if (text == null) {
            problems.remove(kind);
        } else {
            problems.put(kind, text);
        }
    }

    Map<Kind, String> problems() {
        return problems;
    }

    /** Returns the message for operators about a refused transaction; null if no operator must act. */
    @Nullable String refusal() {
        return refusal;
    }

    void rejected() {
        rejections++;
    }

    /**
     * Called after {@link #rejected} if the claim assumed without a read that its fire had not begun, and another
     * instance had begun it. The claim succeeds after a read of the fire. With a pause before that read, a job with a
     * short period would be late for the next fire too, whose claim would again be rejected, and so on.
     */
    void corrected() {
        rejections = 0;
    }

    /**
     * Requests an advance. It runs after all steps that already wait for the executor, so a thousand runs that end
     * together cause only one advance. May be called on any thread.
     */
    void advance() {
        executeOnce(advancing, advance);
    }

    /** Requests an advance: at once, or after a growing pause if several transactions in a row were rejected. */
    void advanceSoon() {
        if (rejections <= RETRIES_AT_ONCE) {
            advance();
            return;
        }
        if (pausing) {
            return;
        }
        Duration pause = Duration.ofMillis(20L << Math.min(rejections - RETRIES_AT_ONCE, 8));
        later(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE, () -> {
            pausing = false;
            advance();
        });
        pausing = true; // set last, so that it stays false if the call fails
    }

    void later(Duration pause, Runnable task) {
        context.platform().timer().after(pause, () -> execute(task));
    }

    /**
     * Forgets items that other instances own. Keeps the items that still have a run here, and asks these runs to hand
     * over their items.
     */
    void dropForeignItems() {
        for (HostedItem hosted : items.values()) {
            ItemRun run = hosted.run();
            if (run != null && !owns(hosted.key())) {
                run.leave();
            }
        }
        items.values().removeIf(hosted -> !hosted.busy() && !owns(hosted.key()));
    }
}
