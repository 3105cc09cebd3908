package io.ostraka.core.job;

import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** State of one job in an instance. Confined to the job's serial executor. */
final class JobState {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** Number of rejections in a row that are retried at once; later retries wait for growing pauses. */
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
    /** Items that the plan gives to this instance, with the session and plan that they were read for; there may be thousands. */
    private Set<String> owned = Set.of();

    private @Nullable Session ownedBy;
    private @Nullable JobSnapshot ownedUnder;
    /** True while a call of {@link #advance} waits for the executor. */
    private final AtomicBoolean advancing = new AtomicBoolean();

    private int rejections;
    /** Why the last transaction was refused; null if it was not, or if a smaller one may be taken. */
    private @Nullable String refusal;
    /** Largest number of items in one transaction: halved after a refusal, doubled after a success. */
    private int mostMoves = UNLIMITED;
    /** True during a pause that ends in an advance; one pause serves all replies. */
    private boolean pausing;

    @Nullable Session session;
    /** True while the session is connected and has its instance node. */
    boolean online;
    /** Written on the serial executor, read on any thread. */
    volatile @Nullable JobSnapshot snapshot;
    /** The job's manual triggers, oldest first. */
    List<Trigger> triggers = List.of();
    /** Why the definition is not registered yet; null once it is. */
    @Nullable String unregistered = JobContext.UNANSWERED;
    /** Which of the job's nodes cannot be read; null if all can. */
    @Nullable String unreadable;
    /** Which definition is in force instead of this instance's; null if its own is. */
    @Nullable String replaced;
    /** Why definition and override give no valid configuration; null if they do. */
    @Nullable String misconfigured;
    /** True if an instance may have ended while it called the once-listeners of a fire. */
    boolean attend;
    /** Number of fires whose progress {@link KeptFires} keeps. */
    int keptFires;
    /** True while the plan is being read; the engine decides nothing from the old plan then. */
    boolean readingPlan;
    /** True if the next advance sends completions. */
    boolean flush;
    /**
     * True once the process has ended the job. Later replies are ignored: the process may host the job again, and a claim of the
     * new hosted job would look like one that nothing runs. Written once, read on any thread.
     */
    private volatile boolean over;

    /**
     * @param advance takes all steps that are possible now; called on the serial executor
     * @param failed receives what a step threw; called on the serial executor
     */
    JobState(String name, JobBody body, JobContext context, Runnable advance, Consumer<Throwable> failed) {
        this.name = name;
        this.body = body;
        this.context = context;
        this.executor = context.platform().serialExecutor(context.executors());
        this.advance = advance;
        this.failed = failed;
    }

    /**
     * Runs a step on the serial executor. Everything that it throws, an {@code Error} too, goes to the failure handler. Any thread.
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

    Session session() {
        return Objects.requireNonNull(session, "session");
    }

    JobSnapshot snapshot() {
        return Objects.requireNonNull(snapshot, "snapshot");
    }

    /** Returns whether the plan gives an item to this instance. */
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

    /** Sends a request and handles the reply on the serial executor, which receives either a value or an error. */
    <T> void onReply(Supplier<CompletionStage<T>> request, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        Stages.of(request)
                .whenComplete((value, error) -> execute(() -> {
                    if (!over) {
                        then.accept(value, error);
                    }
                }));
    }

    /** Commits a transaction of items and handles its result on the serial executor. A lost reply is an unknown result. */
    void commit(ItemTransaction transaction, Consumer<TransactionResult> then) {
        onReply(
                () -> context.coordination().items().commit(transaction),
                (result, error) -> then.accept(result == null ? new TransactionResult.Unknown() : result));
    }

    /** Ends the job in this process: later replies are ignored. */
    void end() {
        over = true;
    }

    boolean over() {
        return over;
    }

    /** Returns whether the engine may have to record the end of a fire. */
    boolean mayKeep(Fire fire) {
        return fire.triggered() || keepsScheduledFires();
    }

    /** Returns whether the engine may have to record the end of a scheduled fire, which only once-listeners need. */
    boolean keepsScheduledFires() {
        return keptFires > 0 || (snapshot != null && snapshot.onceListeners());
    }

    void accepted() {
        rejections = 0;
        refusal = null;
        mostMoves = mostMoves > UNLIMITED / 2 ? UNLIMITED : mostMoves * 2;
    }

    /** Returns the largest number of items in one transaction, given the length of the longest trigger parameters. */
    int mostMoves(int parameterLength) {
        return Math.min(mostMoves, ItemTransaction.mostMoves(parameterLength));
    }

    /**
     * Records that ZooKeeper refused a transaction. Later ones are smaller even if size was not the reason, because one item's
     * node may have caused the refusal.
     */
    void refused(int moves, boolean tooLarge) {
        mostMoves = Math.max(1, moves / 2);
        if (!tooLarge) {
            refusal = "ZooKeeper refuses writes for this job; check access rights and quotas";
        } else if (moves <= 1) {
            refusal = "the write for one item is larger than ZooKeeper accepts; see jute.maxbuffer";
        }
    }

    /** Returns why the last transaction was refused; null if it was not. */
    @Nullable String refusal() {
        return refusal;
    }

    void rejected() {
        rejections++;
    }

    /**
     * Requests an advance after the steps that already wait for the executor, so that a thousand runs that end together cause one.
     * Any thread.
     */
    void advance() {
        if (advancing.compareAndSet(false, true)) {
            execute(() -> {
                advancing.set(false);
                advance.run();
            });
        }
    }

    /** Requests an advance at once, or after a growing pause if several transactions in a row were rejected. */
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
        pausing = true; // last, so that a failed call does not leave it set
    }

    /** Runs a task on the serial executor after a pause. */
    void later(Duration pause, Runnable task) {
        context.platform().timer().after(pause, () -> execute(task));
    }

    /** Forgets items of other instances once no run of them is left here. */
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
