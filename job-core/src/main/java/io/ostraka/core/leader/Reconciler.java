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
 * What the leading instance does for all jobs: it compares each job's plan with what is, and writes what is missing.
 *
 * <p>Level-triggered: an event only says where to look again, and a look now and then makes up for events that were
 * missed. Nothing is remembered between two looks but what was read, so a new leader goes on from any half-done step.
 * One job that can't be planned holds up no other. Confined to a lane of its own.
 */
public final class Reconciler {
    private static final Logger log = LoggerFactory.getLogger(Reconciler.class);
    /** How far apart two hand-overs of leadership are at least: no instance may have what is missing. */
    private static final Duration HAND_ON_PAUSE = Duration.ofMinutes(1);

    private final LeaderContext context;
    private final LeaderContext.LeadingInstance leadingInstance;
    private final LeaderEvents events;
    private final SerialExecutor executor;
    private final PacedScan audit;
    private final Map<String, JobReconciliation> jobs = new TreeMap<>();
    /** Jobs whose definitions are watched: over terms, since a lost connection ends a term but seldom the leading. */
    private final Set<String> followed = new HashSet<>();

    private @Nullable String candidate;
    private @Nullable Term term;
    private @Nullable DelayedTriggers delayedTriggers;
    private int attempts;
    /** Whether the latest of them is under way. */
    private boolean taking;

    private boolean readingInstances;
    private boolean instancesStale;
    private boolean handedOn;
    private volatile boolean leading;

    private record Observed(List<InstanceInfo> instances, List<String> jobs) {}

    /**
     * Creates the reconciler of an instance; it does nothing until the instance leads.
     *
     * @param leadingInstance receives the consequences of leadership outside this class
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

    /** Leadership was won, with this candidate's node, or lost. */
    public void leadership(Optional<String> won) {
        executor.execute(() -> {
            candidate = won.orElse(null);
            begin();
        });
    }

    /** Ends leading for good; completes, on the leader's lane, when that is done. */
    public CompletionStage<Void> close() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        executor.execute(() -> {
            candidate = null;
            begin();
            ended.complete(null);
        });
        return ended;
    }

    /** A connection is there again: everything may have changed. */
    public void connected() {
        executor.execute(this::begin);
    }

    /** Instances have come, gone or changed. */
    public void instancesChanged() {
        executor.execute(this::readInstances);
    }

    /** A job's definition or override has changed. */
    public void configurationChanged(String job) {
        executor.execute(() -> {
            if (term != null) {
                reconciliation(term, job).readAndReconcile();
            }
        });
    }

    /** Triggers that are to come later have come or gone. */
    public void delayedTriggersChanged() {
        executor.execute(() -> {
            if (delayedTriggers != null) {
                delayedTriggers.read();
            }
        });
    }

    /** An item that a closed plan waits for has changed. */
    public void itemChanged(String job) {
        reconcileLater(job);
    }

    /**
     * Looks at every job from what is known, and at those whose turn it is reading everything again.
     *
     * @param elapsed since the last look
     * @param instances whether to read them again too
     */
    public void reconcileAll(Duration elapsed, boolean instances) {
        executor.execute(() -> {
            if (term == null) {
                if (!taking) { // an answer may take longer than the time between two looks
                    begin();
                }
                if (candidate == null) {
                    List.copyOf(followed).forEach(this::unfollow); // another leads
                }
                return;
            }
            if (instances) {
                readInstances();
                context.coordination().fires().sweep();
                delayedTriggersChanged();
            }
            Set<String> turn = new HashSet<>(audit.next(jobs.keySet(), elapsed));
            // a copy, for a look may find that its job is gone
            new TreeMap<>(jobs).forEach((name, job) -> {
                if (turn.contains(name)) {
                    job.audit();
                } else {
                    job.reconcileAgain();
                }
            });
        });
    }

    /** Tells whether this instance leads, as far as it knows. Any thread. */
    public boolean leading() {
        return leading;
    }

    /** Ends the term, and begins another if this instance has the latch: with an epoch of its own. */
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
                        log.debug("leadership not taken: {}", error.toString());
                        return;
                    }
                    if (taken.isEmpty()) {
                        // by hand; or LeaderLatch, whose connection went as it created its node, has another one by
                        // now and tells nobody
                        log.debug("the node of candidate {} is gone", mine);
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
            candidate = null; // the next one is told when it is won
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
        // all are followed before any is read: what is read in one go takes few requests
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

    /** A job is gone with its definition; whoever brings it back announces it. */
    private void forget(String job) {
        jobs.remove(job);
        unfollow(job);
    }

    /** Not within what it follows from, of which there may be a long row. */
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
