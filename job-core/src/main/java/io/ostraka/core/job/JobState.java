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

/** What an instance knows of one job, and where it goes on from. Confined to the job's lane. */
final class JobState {
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** How many rejections in a row are answered at once; after that the pauses grow. */
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
    /** What the plan gives to the instance, whose and which plan these were: there may be thousands. */
    private Set<String> owned = Set.of();

    private @Nullable Session ownedBy;
    private @Nullable JobSnapshot ownedUnder;
    /** Whether an advance is on its way. */
    private final AtomicBoolean advancing = new AtomicBoolean();

    private int rejections;
    /** Why the last transaction was refused; null if it was not, or if a smaller one may be taken. */
    private @Nullable String refusal;
    /** How many items go into one transaction at most: halved when one is refused, doubled when one is accepted. */
    private int mostMoves = UNLIMITED;
    /** Whether a pause is under way that ends in an advance: one is enough, however many replies ask for it. */
    private boolean pausing;

    @Nullable Session session;
    /** Whether the session has a connection and its instance node. */
    boolean online;
    /** Written on the lane, read anywhere. */
    volatile @Nullable JobSnapshot snapshot;
    /** The job's manual triggers, oldest first. */
    List<Trigger> triggers = List.of();
    /** Why the definition is not registered yet; null once it is. */
    @Nullable String unregistered = JobContext.UNANSWERED;
    /** What of its nodes can't be read; null when all could. */
    @Nullable String unreadable;
    /** Which definition is in force in place of this instance's own; null if its own is. */
    @Nullable String replaced;
    /** Why definition and override make no configuration together; null when they do. */
    @Nullable String misconfigured;
    /** Whether fires that once-listeners are told of may have been left behind by somebody who is gone. */
    boolean attend;
    /** Number of fires whose progress {@link KeptFires} keeps. */
    int keptFires;
    /** True while the plan is being read: nothing is decided from the plan that is known. */
    boolean readingPlan;
    /** Whether ends of runs are to be sent with the next advance. */
    boolean flush;
    /**
     * Whether the process has let go of the job. What is still on its way to it then is no longer its concern: the job may be
     * hosted anew, and what that has claimed would look like a claim that nothing runs. Written once, read anywhere.
     */
    private volatile boolean over;

    /**
     * @param advance does all that can be done from here; called on the lane
     * @param failed receives what a step threw; called on the lane
     */
    JobState(String name, JobBody body, JobContext context, Runnable advance, Consumer<Throwable> failed) {
        this.name = name;
        this.body = body;
        this.context = context;
        this.executor = context.platform().lane(context.lanes());
        this.advance = advance;
        this.failed = failed;
    }

    /**
     * Runs a step on the lane. Whatever it throws, an Error of the JVM too, ends here: the job says so and goes on. Any
     * thread.
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

    /** Whether the plan gives an item to this instance. */
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

    /** Asks, and brings the reply back to the lane; exactly one of its value and its error is given. */
    <T> void onReply(Supplier<CompletionStage<T>> request, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        Stages.of(request)
                .whenComplete((value, error) -> execute(() -> {
                    if (!over) {
                        then.accept(value, error);
                    }
                }));
    }

    /** Commits a transaction of items, and brings its result back to the serial executor. */
    void commit(ItemTransaction transaction, Consumer<TransactionResult> then) {
        onReply(
                () -> context.coordination().items().commit(transaction),
                (result, error) -> then.accept(result == null ? new TransactionResult.Unknown() : result));
    }

    /** Nothing is read, written or told for the job any more. */
    void end() {
        over = true;
    }

    boolean over() {
        return over;
    }

    /** Returns whether a fire's end may have to be known. */
    boolean mayKeep(Fire fire) {
        return fire.triggered() || keepsScheduledFires();
    }

    /** Returns whether the end of a scheduled fire may have to be known. A job without once-listeners needs no end of one. */
    boolean keepsScheduledFires() {
        return keptFires > 0 || (snapshot != null && snapshot.onceListeners());
    }

    void accepted() {
        rejections = 0;
        refusal = null;
        mostMoves = mostMoves > UNLIMITED / 2 ? UNLIMITED : mostMoves * 2;
    }

    /** How many items go into one transaction, given the longest trigger parameters among them. */
    int mostMoves(int parameterLength) {
        return Math.min(mostMoves, ItemTransaction.mostMoves(parameterLength));
    }

    /**
     * A transaction of so many items was refused. What is refused for other reasons than its size is split as well: it may
     * be one item's node that is in the way.
     */
    void refused(int moves, boolean tooLarge) {
        mostMoves = Math.max(1, moves / 2);
        if (!tooLarge) {
            refusal = "ZooKeeper refuses what is written for it; check access rights and quotas";
        } else if (moves <= 1) {
            refusal = "what is written for one item is more than ZooKeeper takes in one request; see jute.maxbuffer";
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
     * Has all done that can be done, once what has come to the lane by now is known: a thousand runs that end together are
     * looked at once. Any thread.
     */
    void advance() {
        if (advancing.compareAndSet(false, true)) {
            execute(() -> {
                advancing.set(false);
                advance.run();
            });
        }
    }

    /** Goes on at once, or after growing pauses when one thing after the other is rejected. */
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
        pausing = true; // not before: what throws must not leave it set
    }

    /** Does something on the lane after a while. */
    void later(Duration pause, Runnable task) {
        context.platform().timer().after(pause, () -> execute(task));
    }

    /** Lets go of items that others have, once nothing of them runs here. */
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
