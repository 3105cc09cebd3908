package io.ostraka.core.leader;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.PacedScan;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
    private final long startedNanos;
    private final Map<String, JobReconciliation> jobs = new TreeMap<>();
    /**
     * Jobs with a watched definition. The watches outlast a term: after a lost connection a new term begins, and
     * usually this instance leads again.
     */
    private final Set<String> followed = new HashSet<>();

    /** Operators' requests to stop fires, as last read in the current session. */
    private List<FireStop> stops = List.of();

    private @Nullable String candidate;
    private @Nullable Term term;
    private @Nullable DelayedTriggers delayedTriggers;
    private @Nullable BackfillSteps backfills;
    private @Nullable OrdersExpiry ordersExpiry;
    private @Nullable AlarmManager alarms;
    private OrdersExpiry.@Nullable Latest orders;
    private int attempts;
    /** True while this instance tries to begin a term of leadership and waits for the reply. */
    private boolean taking;

    private boolean readingInstances;
    private boolean instancesStale;
    private boolean handedOn;
    private volatile boolean leading;
    /** State of the jobs as the leader knows it; empty while this instance does not lead. */
    private volatile Led led = Led.NONE;

    private record Led(Map<String, Status.Led> jobs, Set<AlarmKind> alarms) {
        static final Led NONE = new Led(Map.of(), Set.of());
    }

    private record Observed(List<InstanceInfo> instances, List<String> jobs, List<FireStop> stops) {}

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
        executor.execute(this::readInstances);
    }

    /** Called when a job's definition or override has changed. Rereads both. */
    public void configurationChanged(String job) {
        executor.execute(() -> {
            if (term != null) {
                reconciliation(term, job).readAndReconcile();
            }
        });
    }

    /** Called when the delayed triggers have changed. Rereads them. */
    public void delayedTriggersChanged() {
        executor.execute(() -> {
            if (delayedTriggers != null) {
                delayedTriggers.read();
            }
        });
    }

    /** Called when backfills have changed. Rereads them. */
    public void backfillsChanged() {
        executor.execute(() -> {
            if (backfills != null) {
                backfills.read();
            }
        });
    }

    /** Called when the published health of an instance has changed. Rereads the published health of all instances. */
    public void healthChanged() {
        if (!leading) {
            return;
        }
        executor.execute(() -> {
            if (alarms != null) {
                alarms.digestsChanged();
            }
        });
    }

    /** Called when a manual trigger was deleted. */
    public void triggerDeleted() {
        if (!leading) {
            return;
        }
        executor.execute(() -> {
            if (backfills != null) {
                backfills.triggerDeleted();
            }
        });
    }

    /** Called with all operators' requests to stop fires after these have been read. */
    public void stopsRead(List<FireStop> all) {
        executor.execute(() -> {
            stops = all;
            if (term != null) {
                term.stops = all;
            }
        });
    }

    /**
     * Called with the operators' orders for the namespace, each time this instance has read them.
     *
     * @param known the last readable value; empty if the node did not exist; null if no value has been readable yet
     */
    public void orders(OrdersView read, @Nullable Optional<Versioned<Orders>> known) {
        executor.execute(() -> {
            orders = new OrdersExpiry.Latest(read, known);
            enforceOrders();
        });
    }

    private void enforceOrders() {
        if (ordersExpiry != null && orders != null) {
            ordersExpiry.enforce(orders);
        }
        if (alarms != null && orders != null) {
            alarms.orders(orders.known());
        }
    }

    /**
     * Called when an item of a job has changed. Reconciles the job, because a change of its item count may wait for the
     * item.
     */
    public void itemChanged(String job) {
        reconcileLater(job);
    }

    /**
     * Reconciles all jobs. Audits the next few jobs, which means that all their nodes are read again. The other jobs
     * are reconciled from their latest known state.
     *
     * @param elapsed time since the last call
     * @param instances true to reread the instances too
     */
    public void reconcileAll(Duration elapsed, boolean instances) {
        executor.execute(() -> {
            if (term == null) {
                if (!taking) { // the reply to an earlier attempt may still be pending
                    begin();
                }
                if (candidate == null) {
                    List.copyOf(followed).forEach(this::unfollow); // another instance leads and watches them
                }
                return;
            }
            if (instances) {
                readInstances();
                context.coordination().fires().sweep(term.leadership);
                context.coordination().membership().sweep();
                delayedTriggersChanged();
                backfillsChanged();
            }
            Set<String> turn = new HashSet<>(audit.next(jobs.keySet(), elapsed));
            // iterates over a copy, because a reconciliation may remove its job
            new TreeMap<>(jobs).forEach((name, job) -> {
                if (turn.contains(name)) {
                    job.audit();
                } else {
                    job.reconcileAgain();
                }
            });
            lookForAlarms();
        });
    }

    private void lookForAlarms() {
        Term current = term;
        AlarmManager manager = alarms;
        if (current == null || manager == null || !current.instancesKnown) {
            return;
        }
        List<JobView> views =
                jobs.values().stream().flatMap(job -> job.view().stream()).toList();
        views.forEach(manager::look);
        manager.lookAround(jobs.keySet());
        led = new Led(manager.status(views), manager.ofNamespace());
    }

    /** Returns whether this instance leads, as far as it knows. May be called on any thread. */
    public boolean leading() {
        return leading;
    }

    /**
     * Returns the state of the jobs for monitoring systems. May be called on any thread.
     *
     * @param hosted state of the jobs that this instance hosts
     */
    public Status status(Map<String, Status.Hosted> hosted) {
        Led known = led;
        return new Status(leading, hosted, known.jobs, known.alarms);
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
                    term = begun;
                    delayedTriggers = new DelayedTriggers(begun);
                    backfills = new BackfillSteps(begun);
                    ordersExpiry = new OrdersExpiry(begun);
                    alarms = new AlarmManager(
                            begun,
                            job -> Optional.ofNullable(jobs.get(job)).flatMap(JobReconciliation::view),
                            context.alarms());
                    leading = true;
                    events.leads(true);
                    delayedTriggers.read();
                    backfills.read();
                    enforceOrders();
                    readInstances();
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
            forget(job);
        }

        @Override
        public void jobAffected(String job) {
            reconcileLater(job);
        }

        @Override
        public void itemsRead(JobView job, List<ItemView> items) {
            if (alarms != null) {
                alarms.audited(job, items);
            }
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
        if (term != null) {
            term.over = true;
        }
        term = null;
        delayedTriggers = null;
        backfills = null;
        ordersExpiry = null;
        alarms = null;
        led = Led.NONE;
        if (leading) {
            leading = false;
            events.leads(false);
        }
        jobs.clear();
    }

    private void readInstances() {
        Term current = term;
        if (current == null || readingInstances) {
            instancesStale = true;
            return;
        }
        readingInstances = true;
        instancesStale = false;
        // read before the job names, so a stop whose job is not among them is left over
        List<FireStop> before = current.stops;
        Stages.of(() -> context.coordination()
                        .membership()
                        .instances()
                        .thenCombine(
                                context.coordination().jobs().names(),
                                (instances, names) -> new Observed(instances, names, before)))
                .whenComplete((observed, error) -> executor.execute(() -> {
                    readingInstances = false;
                    if (error == null && !current.over) {
                        take(current, observed);
                    }
                    if (instancesStale) {
                        readInstances();
                    }
                }));
    }

    private void take(Term current, Observed observed) {
        current.instances = observed.instances;
        current.membership.observed(observed.instances);
        current.instancesKnown = true;
        if (leadingInstance.drained()
                && observed.instances.stream().anyMatch(other -> other.state() == InstanceInfo.State.WORKING)) {
            handOn();
            if (current.over) {
                return;
            }
        }
        Set<String> all = new TreeSet<>(observed.jobs);
        observed.instances.forEach(instance -> all.addAll(instance.jobs()));
        followed.stream().filter(job -> !all.contains(job)).toList().forEach(current::forget);
        current.delete(observed.stops.stream()
                .filter(stop -> !all.contains(stop.job()))
                .toList());
        // watch all jobs before reading any: reads that directly follow each other are combined into few requests
        List<JobReconciliation> looks =
                all.stream().map(job -> reconciliation(current, job)).toList();
        looks.forEach(JobReconciliation::reconcile);
    }

    private JobReconciliation reconciliation(Term current, String job) {
        return jobs.computeIfAbsent(job, name -> {
            if (followed.add(name)) {
                context.coordination().jobs().followConfiguration(name, true);
            }
            current.distribution.expect(name);
            return new JobReconciliation(name, current);
        });
    }

    /** Forgets a job that has no definition and no host. An instance that hosts the job later announces it again. */
    private void forget(String job) {
        JobReconciliation gone = jobs.remove(job);
        if (gone != null) {
            gone.forget();
        }
        unfollow(job);
    }

    /** Reconciles a job in a later step. This prevents a recursion between jobs that depend on each other. */
    private void reconcileLater(String job) {
        executor.execute(() -> {
            JobReconciliation known = jobs.get(job);
            if (known != null) {
                known.reconcile();
            }
        });
    }

    private void unfollow(String job) {
        if (followed.remove(job)) {
            context.coordination().jobs().followConfiguration(job, false);
        }
    }
}
