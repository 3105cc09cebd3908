package io.ostraka.core.leader;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.time.PacedScan;
import io.ostraka.core.time.Refresh;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of the leader in one term: reconciles the jobs, releases delayed triggers, continues backfills, ends the
 * operators' orders whose time is over, and decides the alarms. Confined to the leader's executor.
 */
final class LeaderTasks {
    final Term term;
    final DelayedTriggers delayedTriggers;
    final BackfillSteps backfills;
    final AlarmManager alarms;
    private final OrdersExpiry ordersExpiry;
    private final PacedScan audit;
    private final WatchedConfigurations watched;
    private final Map<String, JobReconciliation> jobs = new TreeMap<>();
    private final Refresh<Observed> instances;
    /** State of the jobs as last seen. Read on any thread. */
    private volatile Led led = Led.NONE;

    /** State of the jobs for monitoring systems, and the present alarms of the whole namespace. */
    record Led(Map<String, Status.Led> jobs, Set<AlarmKind> alarms) {
        static final Led NONE = new Led(Map.of(), Set.of());
    }

    private record Observed(List<InstanceInfo> instances, List<String> jobs, List<FireStop> stops) {}

    /** @param audit determines which jobs are audited next; outlasts the term */
    LeaderTasks(Term term, AlarmDelivery delivery, PacedScan audit, WatchedConfigurations watched) {
        this.term = term;
        this.audit = audit;
        this.watched = watched;
        this.delayedTriggers = new DelayedTriggers(term);
        this.backfills = new BackfillSteps(term);
        this.ordersExpiry = new OrdersExpiry(term);
        this.alarms = new AlarmManager(
                term, job -> Optional.ofNullable(jobs.get(job)).flatMap(JobReconciliation::view), delivery);
        this.instances = term.refresh("the read of the instances", null, this::observe, this::take);
    }

    /** @param orders the operators' orders as last read; null if they have not been read yet */
    void begin(OrdersExpiry.@Nullable Latest orders) {
        delayedTriggers.read();
        backfills.read();
        if (orders != null) {
            enforce(orders);
        }
        readInstances();
    }

    void enforce(OrdersExpiry.Latest orders) {
        ordersExpiry.enforce(orders);
        alarms.orders(orders.known());
    }

    void readInstances() {
        instances.demand();
    }

    private CompletionStage<Observed> observe() {
        // read before the job names, so a stop whose job is not among them is left over
        List<FireStop> before = term.stops;
        return term.coordination
                .membership()
                .instances()
                .thenCombine(
                        term.coordination.jobs().names(), (instances, names) -> new Observed(instances, names, before));
    }

    private void take(Observed observed) {
        term.instances = observed.instances;
        term.membership.observed(observed.instances);
        term.instancesKnown = true;
        if (term.leadingInstance.drained()
                && observed.instances.stream().anyMatch(other -> other.state() == InstanceInfo.State.WORKING)) {
            term.handOn();
            if (term.over) {
                return;
            }
        }
        Set<String> all = new TreeSet<>(observed.jobs);
        observed.instances.forEach(instance -> all.addAll(instance.jobs()));
        watched.without(all).forEach(term::forget);
        term.delete(observed.stops.stream()
                .filter(stop -> !all.contains(stop.job()))
                .toList());
        // watch all jobs before reading any: reads that directly follow each other are combined into few requests
        all.stream().map(this::reconciliation).toList().forEach(JobReconciliation::reconcile);
    }

    private JobReconciliation reconciliation(String job) {
        return jobs.computeIfAbsent(job, name -> {
            watched.watch(name);
            term.distribution.expect(name);
            return new JobReconciliation(name, term);
        });
    }

    /** Reads a job again, whose definition or override has changed, and reconciles it. */
    void readAndReconcile(String job) {
        reconciliation(job).readAndReconcile();
    }

    /** Reconciles a job in a later step. This prevents a recursion between jobs that depend on each other. */
    void reconcileLater(String job) {
        term.execute(() -> reconcile(job));
    }

    void reconcile(String job) {
        JobReconciliation known = jobs.get(job);
        if (known != null) {
            known.reconcile();
        }
    }

    /** Forgets a job that has no definition and no host. An instance that hosts the job later announces it again. */
    void forget(String job) {
        JobReconciliation gone = jobs.remove(job);
        if (gone != null) {
            gone.forget();
        }
        watched.unwatch(job);
    }

    /**
     * Reconciles all jobs, audits the next few jobs, and decides the alarms.
     *
     * @param elapsed time since the last call
     * @param full true to read again all that does not belong to a job
     */
    void reconcileAll(Duration elapsed, boolean full) {
        if (full) {
            readInstances();
            term.coordination.fires().sweep(term.leadership);
            term.coordination.membership().sweep();
            delayedTriggers.read();
            backfills.read();
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
        if (term.instancesKnown && !term.over) {
            lookForAlarms();
        }
    }

    private void lookForAlarms() {
        List<JobView> views =
                jobs.values().stream().flatMap(job -> job.view().stream()).toList();
        views.forEach(alarms::look);
        alarms.lookAround(jobs.keySet());
        led = new Led(alarms.status(views), alarms.ofNamespace());
    }

    /** Returns the state of the jobs as last seen. May be called on any thread. */
    Led led() {
        return led;
    }
}
