package io.ostraka.core.leader;

import io.ostraka.api.metrics.Status;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.PacedScan;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles all jobs while this instance leads: compares the plan of each job with the observed state and writes the
 * difference.
 *
 * <p>An event only requests a reconciliation, and periodic reconciliations make up for lost events. Between
 * reconciliations the reconciler keeps no state that it cannot read again. A new leader can therefore continue from any
 * half-done step. A job that cannot be planned does not delay other jobs. The public methods may be called on any
 * thread; the work is confined to the leader's executor.
 */
public final class Reconciler {
    private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
    /**
     * Minimum time between two voluntary hand-overs of the leadership. A missing strategy or a drain causes a
     * hand-over; the pause is necessary because the next leader may have the same problem.
     */
    private static final Duration HAND_ON_PAUSE = Duration.ofMinutes(1);

    private final LeaderContext context;
    private final LeaderContext.LeadingInstance leadingInstance;
    private final LeaderEvents events;
    private final SerialExecutor executor;
    private final PacedScan audit;
    private final WatchedConfigurations watched;
    private final long startedNanos;

    /** Operators' requests to stop fires, as last read in the current session. */
    private List<FireStop> stops = List.of();

    private OrdersExpiry.@Nullable Latest orders;
    private @Nullable String candidate;
    private int attempts;
    /** True while this instance tries to begin a term of leadership and waits for the reply. */
    private boolean taking;

    private boolean handedOn;
    /** Tasks of the current term; null while this instance does not lead. Written on the leader's executor. */
    private volatile @Nullable LeaderTasks tasks;

    /**
     * Creates the reconciler of an instance. The reconciler does nothing until the instance leads.
     *
     * @param leadingInstance receives the requests and findings of the leader
     * @param events publishes the leader's decisions
     * @param auditInterval period in which all nodes of every job are read again, one job after the other
     */
    public Reconciler(
            LeaderContext context,
            LeaderContext.LeadingInstance leadingInstance,
            LeaderEvents events,
            Duration auditInterval) {
        this.context = context;
        this.leadingInstance = leadingInstance;
        this.events = events;
        this.audit = new PacedScan(auditInterval);
        this.watched = new WatchedConfigurations(context.coordination().jobs());
        this.executor = context.executor();
        this.startedNanos = context.platform().clock().monotonicNanos();
    }

    /**
     * Called when this instance has won the election or lost the leadership.
     *
     * @param won path of this instance's node in the election; empty if the leadership was lost
     */
    public void leadership(Optional<String> won) {
        executor.execute(() -> {
            candidate = won.orElse(null);
            begin();
        });
    }

    /** Ends the leadership of this instance permanently. The stage completes on the leader's executor. */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        executor.execute(() -> {
            candidate = null;
            begin();
            ended.complete(null);
        });
        return ended;
    }

    /** Called after a reconnection. Begins a new term of leadership, because everything may have changed. */
    public void connected() {
        executor.execute(() -> {
            stops = List.of(); // a new session may see older states of nodes than the session that read these stops
            begin();
        });
    }

    /** Called when instances have joined, left or changed. Rereads all instances. */
    public void instancesChanged() {
        whileLeading(LeaderTasks::readInstances);
    }

    /** Called when a job's definition or override has changed. Rereads both. */
    public void configurationChanged(String job) {
        whileLeading(current -> current.readAndReconcile(job));
    }

    /** Called when the delayed triggers have changed. Rereads them. */
    public void delayedTriggersChanged() {
        whileLeading(current -> current.delayedTriggers.read());
    }

    /** Called when backfills have changed. Rereads them. */
    public void backfillsChanged() {
        whileLeading(current -> current.backfills.read());
    }

    /** Called when the published health of an instance has changed. Rereads the published health of all instances. */
    public void healthChanged() {
        whileLeading(current -> current.alarms.digestsChanged());
    }

    /** Called when a manual trigger was deleted. */
    public void triggerDeleted() {
        whileLeading(current -> current.backfills.triggerDeleted());
    }

    /**
     * Called when an item of a job has changed. Reconciles the job, because a change of its item count may wait for the
     * item.
     */
    public void itemChanged(String job) {
        whileLeading(current -> current.reconcile(job));
    }

    /** Runs a step if this instance leads. A later term needs no step, because its tasks begin with reads. */
    private void whileLeading(Consumer<LeaderTasks> step) {
        if (tasks != null) {
            executor.execute(() -> ifLeading(step));
        }
    }

    private void ifLeading(Consumer<LeaderTasks> step) {
        LeaderTasks current = tasks;
        if (current != null) {
            step.accept(current);
        }
    }

    /** Called with all operators' requests to stop fires after these have been read. */
    public void stopsRead(List<FireStop> all) {
        executor.execute(() -> {
            stops = all;
            ifLeading(current -> current.term.stops = all);
        });
    }

    /**
     * Called with the operators' orders for the namespace, each time this instance has read them.
     *
     * @param known the last readable value; empty if the node did not exist; null if no value has been readable yet
     */
    public void orders(OrdersView read, @Nullable Optional<Versioned<Orders>> known) {
        executor.execute(() -> {
            OrdersExpiry.Latest latest = new OrdersExpiry.Latest(read, known);
            orders = latest;
            ifLeading(current -> current.enforce(latest));
        });
    }

    /**
     * Reconciles all jobs. Audits the next few jobs, which means that all their nodes are read again. The other jobs
     * are reconciled from their latest known state.
     *
     * @param elapsed time since the last call
     * @param full true to reread all that does not belong to a job, such as the instances
     */
    public void reconcileAll(Duration elapsed, boolean full) {
        executor.execute(() -> {
            LeaderTasks current = tasks;
            if (current != null) {
                current.reconcileAll(elapsed, full);
                return;
            }
            if (!taking) { // the reply to an earlier attempt may still be pending
                begin();
            }
            if (candidate == null) {
                watched.unwatchAll(); // another instance leads and watches them
            }
        });
    }

    /** Returns whether this instance leads, as far as it knows. May be called on any thread. */
    public boolean leading() {
        return tasks != null;
    }

    /**
     * Returns the state of the jobs for monitoring systems. May be called on any thread.
     *
     * @param hosted state of the jobs that this instance hosts
     */
    public Status status(Map<String, Status.Hosted> hosted) {
        LeaderTasks current = tasks;
        LeaderTasks.Led led = current == null ? LeaderTasks.Led.NONE : current.led();
        return new Status(current != null, hosted, led.jobs(), led.alarms());
    }

    /**
     * Ends the current term of leadership. If this instance has won the election, also begins a new term by increasing
     * the version of the epoch node.
     */
    private void begin() {
        end();
        String mine = candidate;
        int attempt = ++attempts;
        taking = mine != null;
        if (mine == null) {
            return;
        }
        Stages.of(() -> context.coordination().membership().lead(mine))
                .whenComplete((taken, error) -> executor.execute(() -> {
                    if (attempt != attempts) {
                        return; // a later attempt has replaced this one
                    }
                    taking = false;
                    if (error != null) {
                        log.debug("leadership was not taken: {}", error.toString());
                        return;
                    }
                    if (taken.isEmpty()) {
                        // the node was deleted by hand, or LeaderLatch lost the connection while it created the node
                        // and has created another one
                        log.debug("the node of candidate {} was deleted", mine);
                        candidate = null;
                        leadingInstance.rejoinElection();
                        return;
                    }
                    Term begun = new Term(context, taken.get(), leadingInstance, events, new Reactions(), startedNanos);
                    begun.stops = stops;
                    LeaderTasks current = new LeaderTasks(begun, context.alarms(), audit, watched);
                    tasks = current;
                    events.leads(true);
                    current.begin(orders);
                }));
    }

    private final class Reactions implements Term.Listener {
        @Override
        public void placeLost() {
            end();
        }

        @Override
        public void strategyMissing() {
            handOn();
        }

        @Override
        public void jobGone(String job) {
            ifLeading(current -> current.forget(job));
        }

        @Override
        public void jobAffected(String job) {
            ifLeading(current -> current.reconcileLater(job));
        }

        @Override
        public void itemsRead(JobView job, List<ItemView> items) {
            ifLeading(current -> current.alarms.audited(job, items));
        }
    }

    private void handOn() {
        if (!handedOn) {
            context.platform().timer().after(HAND_ON_PAUSE, () -> executor.execute(() -> handedOn = false));
            handedOn = true;
            candidate = null; // leadership(...) reports the next candidate
            end();
            leadingInstance.rejoinElection();
        }
    }

    private void end() {
        LeaderTasks current = tasks;
        if (current != null) {
            current.term.over = true;
            tasks = null;
            events.leads(false);
        }
    }
}
