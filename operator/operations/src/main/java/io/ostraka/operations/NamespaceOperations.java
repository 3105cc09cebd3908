package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Progress;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.api.operations.TriggerDetails;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.decide.Explanation;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.OperationsFactory;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.instance.Refusals;
import io.ostraka.core.instance.RequestGate;
import io.ostraka.core.model.BackfillView;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.PendingTriggers;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.UnreadableTrigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Implements the operations with the coordination service. The calling thread computes the views, so that views do not
 * occupy the threads of an engine.
 */
public final class NamespaceOperations implements Operations {
    /** Maximum age of a list of jobs that is returned without a new read. */
    private static final Duration FRESH = Duration.ofMillis(500);

    private static final int MOST_JOBS_AT_ONCE = 100;
    private static final int MOST_FIRES = 1_000;
    private static final int MOST_SLOTS = 1_440;
    private static final Duration SHORTEST_SLOT = Duration.ofMinutes(1);
    private static final Duration LONGEST_SLOT = Duration.ofDays(31);
    private static final Instant LATEST_FORECAST = Instant.parse("9000-01-01T00:00:00Z");

    private final Coordination coordination;
    private final RequestGate gate;
    private final Answers answers;
    private final Clock clock;
    private final Commands commands;

    /** The latest list of jobs, or the read that fetches it. Guarded by this. */
    private @Nullable CompletableFuture<Snapshot> latest;

    private long latestNanos;

    /** Creates the operations of an instance or an observer. */
    public NamespaceOperations(OperationsPort port, Answers answers) {
        this.coordination = port.coordination();
        this.gate = port.gate();
        this.answers = answers;
        this.clock = port.clock();
        this.commands = new Commands(port);
    }

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Factory implements OperationsFactory {
        @Override
        public Operations create(OperationsPort port, Answers answers) {
            return new NamespaceOperations(port, answers);
        }
    }

    private <T> T read(String what, Supplier<CompletionStage<T>> request) {
        return answers.await("read " + what, gate.ask(request).answer());
    }

    /** Returns the latest snapshot if it is recent; otherwise reads a new one. Concurrent callers share one read. */
    Snapshot snapshot() {
        CompletableFuture<Snapshot> shared;
        synchronized (this) {
            // a read that waits for a connection serves all later callers too
            if (latest == null
                    || latest.isCompletedExceptionally()
                    || (latest.isDone() && clock.monotonicNanos() - latestNanos > FRESH.toNanos())) {
                latest = gate.ask(() -> Snapshot.read(coordination)).answer();
                latestNanos = clock.monotonicNanos();
            }
            shared = latest;
        }
        return answers.await("read the jobs", shared.copy()); // a caller that gives up must not cancel the others' read
    }

    @Override
    public NamespaceDetails namespace() {
        Snapshot snapshot = snapshot();
        OrdersView view = read("the orders", () -> coordination.membership().orders());
        Map<String, UnreadableNode> unreadable =
                read("the instances", () -> coordination.membership().unreadableInstances());
        Orders orders = view.damage() == null ? view.orders() : Orders.NONE;
        Map<String, Change> drained = new TreeMap<>();
        orders.drained().forEach((instance, order) -> drained.put(instance, Views.change(order)));
        return new NamespaceDetails(
                leader(snapshot.instances()).orElse(null),
                snapshot.instances().size(),
                snapshot.jobs().size(),
                orders.frozen() == null ? null : Views.change(orders.frozen()),
                drained,
                view.mzxid(),
                problem(Stream.concat(Stream.ofNullable(view.damage()), unreadable.values().stream())),
                snapshot.at());
    }

    /** Returns the texts of unreadable nodes; null if there are none. */
    private static @Nullable String problem(Stream<UnreadableNode> unreadable) {
        String text = unreadable.map(UnreadableNode::text).collect(Collectors.joining("; "));
        return text.isEmpty() ? null : text;
    }

    /** Returns the id of the instance that led last, if that instance is still registered. */
    private Optional<String> leader(List<InstanceInfo> instances) {
        return read("the leader", () -> coordination.membership().leader())
                .filter(id -> instances.stream().anyMatch(each -> each.id().equals(id)));
    }

    @Override
    public List<JobSummary> jobs() {
        Snapshot snapshot = snapshot();
        return snapshot.jobs().stream()
                .map(job -> Views.summary(
                        job, snapshot.health(), snapshot.triggers().getOrDefault(job.name(), 0L), snapshot.at()))
                .toList();
    }

    @Override
    public List<JobActivity> activity(Collection<String> jobs) {
        if (jobs.size() > MOST_JOBS_AT_ONCE) {
            throw new IllegalArgumentException(
                    "activity of " + jobs.size() + " jobs; accepted: " + MOST_JOBS_AT_ONCE + " at most");
        }
        jobs.forEach(Names::requireJob);
        Set<String> live = live();
        List<JobView> views =
                read("the plans of jobs", () -> coordination.jobs().plans(List.copyOf(jobs)));
        return views.stream()
                .filter(job -> job.plan() != null)
                .map(job -> ItemViews.activity(job.name(), records(job), live))
                .toList();
    }

    /** Returns the ids of the registered instances. */
    Set<String> live() {
        return read("the instances", () -> coordination.membership().instances()).stream()
                .map(InstanceInfo::id)
                .collect(Collectors.toSet());
    }

    List<RecordView> records(JobView job) {
        return records(job.name(), keys(job));
    }

    /** Returns the records of the items of jobs that have a plan. The reads of several jobs share requests. */
    Map<String, List<RecordView>> records(List<JobView> jobs) {
        Map<String, List<RecordView>> records = new HashMap<>();
        for (int from = 0; from < jobs.size(); from += Snapshot.JOBS_AT_ONCE) {
            List<JobView> next = jobs.subList(from, Math.min(jobs.size(), from + Snapshot.JOBS_AT_ONCE));
            List<CompletableFuture<List<RecordView>>> reads = next.stream()
                    .map(job -> gate.ask(() -> askedKeys(job)
                                    .thenCompose(keys -> coordination.items().records(job.name(), keys)))
                            .answer())
                    .toList();
            for (int i = 0; i < next.size(); i++) {
                String job = next.get(i).name();
                records.put(job, answers.await("read the items of job '" + job + "'", reads.get(i)));
            }
        }
        return records;
    }

    private List<RecordView> records(String job, List<String> keys) {
        return read("the items of job '" + job + "'", () -> coordination.items().records(job, keys));
    }

    /**
     * Returns the keys of a job's items. The keys of numbered items follow from the plan; other keys are read from
     * ZooKeeper.
     */
    private List<String> keys(JobView job) {
        return read("the items of job '" + job.name() + "'", () -> askedKeys(job));
    }

    private CompletionStage<List<String>> askedKeys(JobView job) {
        Versioned<ShardingPlan> plan = job.plan();
        return plan != null && ShardingPlan.numbered(plan.value().scope())
                ? CompletableFuture.completedStage(plan.value().keys())
                : coordination.items().keys(job.name());
    }

    @Override
    public JobDetails job(String name) {
        JobView job = known(name);
        Set<String> live = live();
        return details(job, health(live), live, job.plan() == null ? List.of() : records(job));
    }

    ClusterHealth health(Set<String> live) {
        return ClusterHealth.of(
                read(
                        "the health of the instances",
                        () -> coordination.membership().digests()),
                live);
    }

    JobDetails details(JobView job, ClusterHealth health, Set<String> live, List<RecordView> records) {
        String name = job.name();
        Instant at = coordination.membership().serverTime();
        PendingTriggers pending = pending(name);
        List<TriggerDetails> triggers = triggers(pending);
        BackfillView backfill = read(
                "the backfill of job '" + name + "'",
                () -> coordination.backfills().of(name));
        return new JobDetails(
                Views.summary(job, health, triggers.size(), at),
                ItemViews.activity(name, records, live),
                Views.fields(job),
                job.overrideKnown() ? job.overrideOrNone().disabledItems() : Set.of(),
                job.overrideKnown() ? job.overrideOrNone().disabledInstances() : Set.of(),
                job.overrideKnown() ? job.overrideOrNone().skipTo() : null,
                Views.changes(job),
                triggers,
                job.override() == null ? 0 : job.override().mzxid(),
                job.registeredBy(),
                problem(Stream.of(
                                job.damages().unreadable(),
                                pending.unreadable().stream().map(UnreadableTrigger::damage),
                                Stream.ofNullable(backfill.damage()))
                        .flatMap(nodes -> nodes)));
    }

    JobView known(String name) {
        Names.requireJob(name);
        JobView job = read("job '" + name + "'", () -> coordination.jobs().job(name));
        if (job.definition() == null && job.plan() == null && job.problem() == null) {
            throw Refusals.unknown(name);
        }
        return job;
    }

    private PendingTriggers pending(String job) {
        return read("the triggers", () -> coordination.fires().pending(job));
    }

    private static List<TriggerDetails> triggers(PendingTriggers pending) {
        List<TriggerDetails> all = new ArrayList<>();
        pending.waiting()
                .forEach(each -> all.add(new TriggerDetails(
                        each.trigger().request().runId(),
                        each.trigger().at(),
                        null,
                        each.trigger().request().items(),
                        each.progress() == null ? null : each.progress().left().size())));
        pending.delayed()
                .forEach(trigger -> all.add(new TriggerDetails(
                        trigger.value().request().runId(),
                        null,
                        DelayedTrigger.due(trigger),
                        trigger.value().request().items(),
                        null)));
        return all;
    }

    @Override
    public List<ItemDetails> items(String name, Collection<String> items) {
        Names.requireJob(name);
        items.forEach(item -> Names.requireItem(name, item));
        JobView job = known(name);
        List<String> keys = items.isEmpty() ? keys(job) : List.copyOf(items);
        Map<String, String> owners =
                job.plan() == null ? Map.of() : job.plan().value().owners();
        Set<String> live = live();
        Map<String, Progress> progress = items.isEmpty()
                ? Map.of()
                : read(
                        "the progress of job '" + name + "'",
                        () -> coordination.items().progress(name, keys));
        return records(name, keys).stream()
                .filter(item -> !items.isEmpty() || ItemViews.belongs(job, item))
                .map(item -> ItemViews.item(job, item, owners.get(item.item()), live, progress.get(item.item())))
                .toList();
    }

    @Override
    public String explain(String name, String item) {
        Names.requireJob(name);
        Names.requireItem(name, item);
        JobView job = known(name);
        if (job.plan() == null) {
            throw Requirements.noPlan(job);
        }
        if (!job.overrideKnown()) {
            throw CoordinationException.refused(String.valueOf(job.problem(job, "")));
        }
        ShardingPlan plan = job.plan().value();
        String owner = Explanation.of(name, item, plan, job.overrideOrNone());
        if (!plan.keys().contains(item)
                && (ShardingPlan.numbered(plan.scope())
                        || !ItemViews.isOpen(records(name, List.of(item)).get(0)))) {
            return owner;
        }
        OrdersView orders = read("the orders", () -> coordination.membership().orders());
        List<InstanceInfo> live =
                read("the instances", () -> coordination.membership().instances());
        return owner
                + ItemObstacles.of(
                        job,
                        records(name, List.of(item)).get(0),
                        plan.owners().get(item),
                        live,
                        orders.damage() == null ? orders.orders() : Orders.NONE,
                        coordination.membership().serverTime());
    }

    @Override
    public Optional<RunDetails> run(String job, String runId) {
        Names.requireJob(job);
        if (FireCommands.scheduledFire(job, runId).isPresent()) {
            throw new JobConfigurationException(
                    job,
                    "runId",
                    runId,
                    "ids of manual runs. This is the id of a scheduled fire: the items show their latest fire, and the page"
                            + " Runs of a console with a history shows earlier ones");
        }
        Names.require("runId", runId);
        // a delayed trigger becomes a trigger and then a fire: reads in this order cannot miss the run
        boolean waits = triggers(pending(job)).stream()
                .anyMatch(trigger -> trigger.runId().equals(runId));
        FireView fire = read("run " + runId, () -> coordination.fires().look(job, runId));
        if (fire.damage() != null) {
            throw CoordinationException.refused(fire.damage().text());
        }
        if (fire.progress() == null) {
            return waits
                    ? Optional.of(new RunDetails(job, runId, RunDetails.State.WAITING, Set.of(), Map.of()))
                    : Optional.empty();
        }
        FireProgress progress = fire.progress().value();
        RunDetails.State state = progress.done() ? RunDetails.State.ENDED : RunDetails.State.RUNNING;
        return Optional.of(new RunDetails(job, runId, state, progress.left(), progress.outcomes()));
    }

    @Override
    public List<AlarmDetails> alarms() {
        return read("the alarms", () -> coordination.alarms().all()).stream()
                .flatMap(view -> view.value() == null
                        ? Stream.<AlarmDetails>empty()
                        : Views.alarms(view.value().value()))
                .sorted(Comparator.comparing((AlarmDetails alarm) -> !alarm.firing())
                        .thenComparing(AlarmDetails::began, Comparator.reverseOrder())
                        .thenComparing(AlarmDetails::id))
                .toList();
    }

    @Override
    public List<BackfillDetails> backfills() {
        return read("the backfills", () -> coordination.backfills().all()).stream()
                .flatMap(view -> Stream.ofNullable(view.value()))
                .map(BackfillCommands::details)
                .sorted(Comparator.comparing(BackfillDetails::job))
                .toList();
    }

    @Override
    public List<Problem> problems() {
        return Triage.ofNamespace(this);
    }

    @Override
    public List<Problem> problems(String job) {
        return Triage.ofJob(this, job);
    }

    @Override
    public List<InstanceDetails> instances() {
        Snapshot snapshot = snapshot();
        Map<String, Map<String, Integer>> items = new TreeMap<>();
        for (JobView job : snapshot.jobs()) {
            Views.owners(job).forEach((instance, count) -> items.computeIfAbsent(instance, id -> new TreeMap<>())
                    .put(job.name(), count));
        }
        String leader = leader(snapshot.instances()).orElse("");
        return snapshot.instances().stream()
                .sorted(Comparator.comparing(InstanceInfo::id))
                .map(each -> new InstanceDetails(
                        each.self(),
                        each.pid(),
                        each.state() == InstanceInfo.State.WORKING ? InstanceState.WORKING : InstanceState.DRAINING,
                        each.id().equals(leader),
                        each.clockAhead(),
                        each.jobs(),
                        items.getOrDefault(each.id(), Map.of()),
                        snapshot.health().problems().get(each.id()),
                        snapshot.health().incomplete().get(each.id())))
                .toList();
    }

    @Override
    public List<Instant> nextFires(String name, int count) {
        if (count < 1 || count > MOST_FIRES) {
            throw new JobConfigurationException(name, "count", count, "1 to " + MOST_FIRES);
        }
        return Views.nextFires(known(name), coordination.membership().serverTime(), count);
    }

    @Override
    public Forecast forecast(Instant from, Duration slot, int slots) {
        if (slots < 1
                || slots > MOST_SLOTS
                || slot.compareTo(SHORTEST_SLOT) < 0
                || slot.compareTo(LONGEST_SLOT) > 0
                || from.isBefore(Instant.EPOCH)
                || from.isAfter(LATEST_FORECAST)) {
            throw new IllegalArgumentException("forecast of " + slots + " slots of " + slot + " from " + from
                    + "; accepted: 1 to " + MOST_SLOTS + " slots of " + SHORTEST_SLOT + " to " + LONGEST_SLOT + " from "
                    + Instant.EPOCH + " to " + LATEST_FORECAST);
        }
        Snapshot snapshot = snapshot();
        return Views.forecast(snapshot.jobs(), snapshot.health(), from, slot, slots);
    }

    @Override
    public String export() {
        return read("the settings", () -> coordination.settings().export());
    }

    @Override
    public List<String> diff(String document) {
        return read("the settings", () -> coordination.settings().diff(document));
    }

    @Override
    public CommandResult execute(Command command, CommandOptions given) {
        return execute(command, null, given);
    }

    @Override
    public CommandResult rerun(Command.RerunItems command, PastRun run, CommandOptions given) {
        return execute(command, run, given);
    }

    private CommandResult execute(Command command, @Nullable PastRun past, CommandOptions given) {
        try {
            return executed(command, past, given);
        } finally {
            synchronized (this) { // the list of jobs may be older than the command
                latest = null;
            }
        }
    }

    private CommandResult executed(Command command, @Nullable PastRun past, CommandOptions given) {
        CommandOptions options = Requirements.identified(given);
        String what = "execute " + Operation.of(command)
                + (command instanceof Command.OfJob ofJob ? " for job '" + ofJob.job() + "'" : "");
        RequestGate.Request<CommandResult> request = commands.ask(command, past, options);
        try {
            answers.arrive(what, request.answer());
        } catch (CoordinationException late) { // the answer is late, or this thread was interrupted
            if (request.withdraw()) { // the command was not sent
                throw late;
            }
            return new CommandResult.Unknown(
                    Requirements.requestId(options),
                    late.getMessage() + "; the command may have been applied, so repeat it with the same id");
        }
        return answers.await(what, request.answer());
    }
}
