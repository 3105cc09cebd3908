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
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.decide.Explanation;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.OperationsFactory;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.instance.RequestGate;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Implements the operations with the coordination service. The calling thread computes the views, so that views do not
 * occupy the threads of an engine.
 */
public final class NamespaceOperations implements Operations {
    private static final int MOST_JOBS_AT_ONCE = 100;
    private static final int MOST_FIRES = 1_000;
    private static final int MOST_SLOTS = 1_440;
    private static final Duration SHORTEST_SLOT = Duration.ofMinutes(1);
    private static final Duration LONGEST_SLOT = Duration.ofDays(31);
    private static final Duration LONGEST_FORECAST = Duration.ofDays(366);
    private static final Instant LATEST_FORECAST = Instant.parse("9000-01-01T00:00:00Z");

    private final Coordination coordination;
    private final Answers answers;
    private final NamespaceReads reads;
    private final Commands commands;

    /** Creates the operations of an instance or an observer. */
    public NamespaceOperations(OperationsPort port, Answers answers) {
        this.coordination = port.coordination();
        this.answers = answers;
        this.reads = new NamespaceReads(port, answers);
        this.commands = new Commands(port);
    }

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Factory implements OperationsFactory {
        @Override
        public Operations create(OperationsPort port, Answers answers) {
            return new NamespaceOperations(port, answers);
        }
    }

    @Override
    public NamespaceDetails namespace() {
        Snapshot snapshot = reads.snapshot();
        OrdersView view =
                reads.read("the orders", () -> coordination.membership().orders());
        Map<String, UnreadableNode> unreadable =
                reads.read("the instances", () -> coordination.membership().unreadableInstances());
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
                NamespaceReads.problem(Stream.concat(Stream.ofNullable(view.damage()), unreadable.values().stream())),
                snapshot.at());
    }

    /** Returns the id of the instance that led last, if that instance is still registered. */
    private Optional<String> leader(List<InstanceInfo> instances) {
        return reads.read("the leader", () -> coordination.membership().leader())
                .filter(id -> instances.stream().anyMatch(each -> each.id().equals(id)));
    }

    @Override
    public List<JobSummary> jobs() {
        Snapshot snapshot = reads.snapshot();
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
        Set<String> live = reads.live();
        List<JobView> views =
                reads.read("the plans of jobs", () -> coordination.jobs().plans(List.copyOf(jobs)));
        return views.stream()
                .filter(job -> job.plan() != null)
                .map(job -> ItemViews.activity(job.name(), reads.records(job), live))
                .toList();
    }

    @Override
    public JobDetails job(String name) {
        JobView job = reads.known(name);
        Set<String> live = reads.live();
        return reads.details(job, reads.health(live), live, job.plan() == null ? List.of() : reads.records(job));
    }

    @Override
    public List<ItemDetails> items(String name, Collection<String> items) {
        Names.requireJob(name);
        items.forEach(item -> Names.requireItem(name, item));
        JobView job = reads.known(name);
        List<String> keys = items.isEmpty() ? reads.keys(job) : List.copyOf(items);
        Map<String, String> owners =
                job.plan() == null ? Map.of() : job.plan().value().owners();
        Set<String> live = reads.live();
        Map<String, Progress> progress = items.isEmpty()
                ? Map.of()
                : reads.read(
                        "the progress of job '" + name + "'",
                        () -> coordination.items().progress(name, keys));
        return reads.records(name, keys).stream()
                .filter(item -> !items.isEmpty() || ItemViews.belongs(job, item))
                .map(item -> ItemViews.item(job, item, owners.get(item.item()), live, progress.get(item.item())))
                .toList();
    }

    @Override
    public String explain(String name, String item) {
        Names.requireJob(name);
        Names.requireItem(name, item);
        JobView job = reads.known(name);
        if (job.plan() == null) {
            throw Requirements.noPlan(job);
        }
        if (!job.overrideKnown()) {
            throw CoordinationException.refused(String.valueOf(job.problem(job, "")));
        }
        ShardingPlan plan = job.plan().value();
        String assigned = plan.owners().get(item);
        String owner = Views.named(
                Explanation.of(name, item, plan, job.overrideOrNone()),
                assigned == null ? List.of() : List.of(assigned));
        if (!plan.keys().contains(item)
                && (ShardingPlan.numbered(plan.scope())
                        || !ItemViews.isOpen(reads.records(name, List.of(item)).get(0)))) {
            return owner;
        }
        List<InstanceInfo> live =
                reads.read("the instances", () -> coordination.membership().instances());
        return owner
                + ItemObstacles.of(
                        job,
                        reads.records(name, List.of(item)).get(0),
                        assigned,
                        live,
                        orders(),
                        coordination.membership().serverTime());
    }

    /** Returns the operators' orders; none if their node is unreadable. */
    private Orders orders() {
        OrdersView view =
                reads.read("the orders", () -> coordination.membership().orders());
        return view.damage() == null ? view.orders() : Orders.NONE;
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
        boolean waits = NamespaceReads.triggers(reads.pending(job)).stream()
                .anyMatch(trigger -> trigger.runId().equals(runId));
        FireView fire = reads.read("run " + runId, () -> coordination.fires().look(job, runId));
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
        List<JobAlarms> alarms = reads
                .read("the alarms", () -> coordination.alarms().all())
                .stream()
                .flatMap(view -> Stream.ofNullable(view.value()))
                .map(Versioned::value)
                .toList();
        Map<String, JobView> jobs =
                alarms.stream().anyMatch(each -> each.firing().findAny().isPresent())
                        ? reads.snapshot().jobs().stream().collect(Collectors.toMap(JobView::name, Function.identity()))
                        : Map.of();
        return alarms.stream()
                .flatMap(each -> Views.alarms(each, each.job() == null ? null : jobs.get(each.job())))
                .sorted(Comparator.comparing((AlarmDetails alarm) -> !alarm.firing())
                        .thenComparing(AlarmDetails::began, Comparator.reverseOrder())
                        .thenComparing(AlarmDetails::id))
                .toList();
    }

    @Override
    public List<BackfillDetails> backfills() {
        return reads.read("the backfills", () -> coordination.backfills().all()).stream()
                .flatMap(view -> Stream.ofNullable(view.value()))
                .map(BackfillCommands::details)
                .sorted(Comparator.comparing(BackfillDetails::job))
                .toList();
    }

    @Override
    public List<Problem> problems(Predicate<String> jobs) {
        return Triage.ofNamespace(reads, jobs, alarms(), namespace(), instances(), this::explain);
    }

    @Override
    public List<Problem> problems(String job) {
        return Triage.ofJob(reads, job, alarms(), this::explain);
    }

    @Override
    public List<InstanceDetails> instances() {
        Snapshot snapshot = reads.snapshot();
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
                        named(snapshot.health().problems().get(each.id()), each.id()),
                        snapshot.health().incomplete().get(each.id())))
                .toList();
    }

    private static @Nullable String named(@Nullable String problem, String instance) {
        return problem == null ? null : Views.named(problem, List.of(instance));
    }

    @Override
    public List<Instant> nextFires(String name, int count) {
        if (count < 1 || count > MOST_FIRES) {
            throw new JobConfigurationException(name, "count", count, "1 to " + MOST_FIRES);
        }
        JobView job = reads.known(name);
        return Views.nextFires(job, orders(), coordination.membership().serverTime(), count);
    }

    @Override
    public Forecast forecast(Instant from, Duration slot, int slots) {
        if (slots < 1
                || slots > MOST_SLOTS
                || slot.compareTo(SHORTEST_SLOT) < 0
                || slot.compareTo(LONGEST_SLOT) > 0
                || slot.multipliedBy(slots).compareTo(LONGEST_FORECAST) > 0
                || from.isBefore(Instant.EPOCH)
                || from.isAfter(LATEST_FORECAST)) {
            throw new IllegalArgumentException("forecast of " + slots + " slots of " + slot + " from " + from
                    + "; accepted: 1 to " + MOST_SLOTS + " slots of " + SHORTEST_SLOT + " to " + LONGEST_SLOT
                    + ", in total "
                    + LONGEST_FORECAST + " at most, from " + Instant.EPOCH + " to " + LATEST_FORECAST);
        }
        Snapshot snapshot = reads.snapshot();
        return Views.forecast(snapshot.jobs(), snapshot.health(), from, slot, slots);
    }

    @Override
    public String export() {
        return reads.read("the settings", () -> coordination.settings().export());
    }

    @Override
    public List<String> diff(String document) {
        return reads.read("the settings", () -> coordination.settings().diff(document));
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
            reads.forget(); // the list of jobs may be older than the command
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
