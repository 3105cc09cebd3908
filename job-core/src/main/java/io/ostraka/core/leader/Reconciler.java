package io.ostraka.core.leader;

import io.ostraka.core.model.InstanceInfo;
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
 * Reconciles all jobs while this instance leads: compares each job's plan with the observed state and writes the difference.
 *
 * <p>The reconciler is level-triggered: an event only requests a reconciliation, and a periodic one makes up for lost
 * events. It keeps only read state between two reconciliations, so a new leader continues from any half-done step. A job
 * that cannot be planned does not delay other jobs. Confined to an executor of its own.
 */
public final class Reconciler {
    private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
    /** Shortest time between two hand-overs of leadership: perhaps no instance has the missing strategy. */
    private static final Duration HAND_ON_PAUSE = Duration.ofMinutes(1);

    private final LeaderContext context;
    private final LeaderContext.LeadingInstance leadingInstance;
    private final LeaderEvents events;
    private final SerialExecutor executor;
    private final PacedScan audit;
    private final Map<String, JobReconciliation> jobs = new TreeMap<>();
    /**
     * Jobs with a watched definition. The watches outlive a term: a lost connection ends the term but rarely the
     * leadership.
     */
    private final Set<String> followed = new HashSet<>();

    private @Nullable String candidate;
    private @Nullable Term term;
    private @Nullable DelayedTriggers delayedTriggers;
    private int attempts;
    /** True while the latest attempt to take the epoch is under way. */
    private boolean taking;

    private boolean readingInstances;
    private boolean instancesStale;
    private boolean handedOn;
    private volatile boolean leading;

    private record Observed(List<InstanceInfo> instances, List<String> jobs) {}

    /**
     * Creates the reconciler of an instance; it is idle until the instance leads.
     *
     * @param leadingInstance receives the requests and findings of a term
     * @param events publishes the leader's decisions
     * @param auditInterval period in which the leader reads everything again, one job after the other
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
    }

    /** Begins a term with the node of the candidate that won, or ends the term if leadership was lost. */
    public void leadership(Optional<String> won) {
        executor.execute(() -> {
            candidate = won.orElse(null);
            begin();
        });
    }

    /** Ends leadership for good; the stage completes on the leader's executor. */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        executor.execute(() -> {
            candidate = null;
            begin();
            ended.complete(null);
        });
        return ended;
    }

    /** Begins a new term after a reconnection: everything may have changed. */
    public void connected() {
        executor.execute(this::begin);
    }

    /** Reads the instances again. */
    public void instancesChanged() {
        executor.execute(this::readInstances);
    }

    /** Reads a job's definition and override again. */
    public void configurationChanged(String job) {
        executor.execute(() -> {
            if (term != null) {
                reconciliation(term, job).readAndReconcile();
            }
        });
    }

    /** Reads the delayed triggers again. */
    public void delayedTriggersChanged() {
        executor.execute(() -> {
            if (delayedTriggers != null) {
                delayedTriggers.read();
            }
        });
    }

    /** Reconciles a job after a change of an item that its closed plan waits for. */
    public void itemChanged(String job) {
        reconcileLater(job);
    }

    /**
     * Reconciles every job from the state read last, and audits the jobs that are due for it.
     *
     * @param elapsed time since the last call
     * @param instances true to read the instances again too
     */
    public void reconcileAll(Duration elapsed, boolean instances) {
        executor.execute(() -> {
            if (term == null) {
                if (!taking) { // the reply may take longer than the time between two calls
                    begin();
                }
                if (candidate == null) {
                    List.copyOf(followed).forEach(this::unfollow); // another instance leads
                }
                return;
            }
            if (instances) {
                readInstances();
                context.coordination().fires().sweep();
                delayedTriggersChanged();
            }
            Set<String> turn = new HashSet<>(audit.next(jobs.keySet(), elapsed));
            // a copy, since a reconciliation may remove its job
            new TreeMap<>(jobs).forEach((name, job) -> {
                if (turn.contains(name)) {
                    job.audit();
                } else {
                    job.reconcileAgain();
                }
            });
        });
    }

    /** Returns whether this instance believes that it leads. May be called from any thread. */
    public boolean leading() {
        return leading;
    }

    /** Ends the term, and takes a new epoch if this instance holds the latch. */
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
                        return; // a later attempt has taken, or will take, a later epoch
                    }
                    taking = false;
                    if (error != null) {
                        log.debug("leadership was not taken: {}", error.toString());
                        return;
                    }
                    if (taken.isEmpty()) {
                        // deleted by hand, or LeaderLatch lost the connection while it created the node and has another
                        // one by now
                        log.debug("the node of candidate {} was deleted", mine);
                        candidate = null;
                        leadingInstance.rejoinElection();
                        return;
                    }
                    Term begun = new Term(context, taken.get(), leadingInstance, events, new Reactions());
                    term = begun;
                    delayedTriggers = new DelayedTriggers(begun);
                    leading = true;
                    events.leads(true);
                    delayedTriggers.read();
                    readInstances();
                }));
    }

    /** Reactions to the events of a term. */
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
        Stages.of(() -> context.coordination()
                        .membership()
                        .instances()
                        .thenCombine(context.coordination().jobs().names(), Observed::new))
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
        Set<String> all = new TreeSet<>(observed.jobs);
        observed.instances.forEach(instance -> all.addAll(instance.jobs()));
        followed.stream().filter(job -> !all.contains(job)).toList().forEach(current::forget);
        // all jobs are watched before any is read: reads of one batch take few requests
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

    /** Forgets a job without definition and host; an instance that hosts it again announces it. */
    private void forget(String job) {
        jobs.remove(job);
        unfollow(job);
    }

    /** Reconciles a job after the present step, so that dependent jobs do not recurse. */
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
