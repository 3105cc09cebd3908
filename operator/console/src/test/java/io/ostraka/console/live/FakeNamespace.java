package io.ostraka.console.live;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.InstanceState;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobInstance;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.PastRun;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A namespace in memory that a test changes, and that counts the reads. Each view has the time of its read. */
class FakeNamespace implements Operations {
    private static final Instant EARLIER = Instant.parse("2025-12-31T00:00:00Z");

    private final Clock clock;

    /** Number of waiting triggers by job. */
    final Map<String, Integer> jobs = new TreeMap<>();
    /** Number of failures by item, by job. */
    final Map<String, Map<String, Integer>> items = new TreeMap<>();
    /** Alarms by id, with their jobs; an empty text stands for the namespace. */
    final Map<String, String> alarms = new TreeMap<>();
    /** Labels of every job. */
    Map<String, String> labels = Map.of();

    final Set<String> ended = new HashSet<>();
    /** Number of items by job, by instance. */
    final Map<String, Map<String, Integer>> instances = new TreeMap<>();

    @Nullable Change frozen;

    boolean down;
    /** Why reads fail while the namespace is down. */
    String trouble = "no answer from ZooKeeper; check that it serves requests";

    int reads;
    /** Runs before each read. */
    Runnable beforeRead = () -> {};

    FakeNamespace(Clock clock) {
        this.clock = clock;
    }

    /** Adds a job with items that have not failed. */
    void add(String job, int count) {
        jobs.put(job, 0);
        Map<String, Integer> all = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            all.put(String.valueOf(i), 0);
        }
        items.put(job, all);
    }

    void remove(String job) {
        jobs.remove(job);
        items.remove(job);
    }

    private void read() {
        beforeRead.run();
        reads++;
        if (down) {
            throw new CoordinationException("could not read: " + trouble);
        }
    }

    @Override
    public NamespaceDetails namespace() {
        read();
        return new NamespaceDetails(null, instances.size(), jobs.size(), frozen, Map.of(), 1, null, clock.now());
    }

    @Override
    public List<JobSummary> jobs() {
        read();
        return jobs.keySet().stream().map(this::summary).toList();
    }

    private JobSummary summary(String job) {
        return new JobSummary(
                job,
                JobState.ACTIVE,
                "",
                List.of(),
                null,
                items.get(job).size(),
                Map.of(),
                null,
                jobs.get(job),
                clock.now());
    }

    @Override
    public List<JobActivity> activity(Collection<String> names) {
        read();
        return names.stream().filter(jobs::containsKey).map(this::activity).toList();
    }

    private JobActivity activity(String job) {
        return new JobActivity(
                job,
                null,
                Map.of(ItemOutcome.FAILED, (int) items.get(job).values().stream()
                        .filter(failures -> failures > 0)
                        .count()),
                0,
                null,
                0,
                0,
                0,
                items.get(job).values().stream()
                        .mapToInt(Integer::intValue)
                        .max()
                        .orElse(0));
    }

    @Override
    public List<ItemDetails> items(String job, Collection<String> keys) {
        read();
        if (!jobs.containsKey(job)) {
            throw CoordinationException.notFound("job '" + job + "' does not exist");
        }
        return items.get(job).entrySet().stream()
                .filter(item -> keys.isEmpty() || keys.contains(item.getKey()))
                .map(item -> new ItemDetails(
                        item.getKey(),
                        ItemDetails.State.IDLE,
                        false,
                        null,
                        null,
                        null,
                        1,
                        List.of(),
                        null,
                        item.getValue(),
                        Map.of(),
                        1,
                        null))
                .toList();
    }

    @Override
    public List<AlarmDetails> alarms() {
        read();
        return alarms.entrySet().stream()
                .map(alarm -> new AlarmDetails(
                        alarm.getKey(),
                        alarm.getValue().isEmpty() ? null : alarm.getValue(),
                        AlarmKind.FAILING,
                        EARLIER,
                        EARLIER,
                        ended.contains(alarm.getKey()) ? EARLIER.plusSeconds(60) : null,
                        "it fails",
                        List.of(),
                        1,
                        false,
                        null,
                        List.of(),
                        List.of()))
                .toList();
    }

    @Override
    public List<InstanceDetails> instances() {
        read();
        return instances.entrySet().stream()
                .map(each -> new InstanceDetails(
                        new JobInstance(each.getKey(), "host", "", Map.of(), 1),
                        1,
                        InstanceState.WORKING,
                        false,
                        false,
                        each.getValue().keySet(),
                        each.getValue(),
                        null,
                        null))
                .toList();
    }

    @Override
    public CommandResult rerun(Command.RerunItems command, PastRun run, CommandOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CommandResult execute(Command command, CommandOptions options) {
        if (!(command instanceof Command.Freeze)) {
            throw new UnsupportedOperationException();
        }
        frozen = new Change(options.actor(), options.reason(), EARLIER, null);
        return new CommandResult.Applied(2, "", "frozen");
    }

    @Override
    public JobDetails job(String job) {
        read();
        JobSummary summary = summary(job);
        return new JobDetails(
                summary,
                activity(job),
                List.of(new FieldValue("labels", labels, false, labels, null)),
                Set.of(),
                Set.of(),
                null,
                Map.of(),
                List.of(),
                1,
                "",
                null);
    }

    @Override
    public String explain(String job, String item) {
        read();
        return "item " + item + " of " + job;
    }

    @Override
    public Optional<RunDetails> run(String job, String runId) {
        read();
        return Optional.empty();
    }

    @Override
    public List<Problem> problems(Predicate<String> jobs) {
        read();
        return List.of();
    }

    @Override
    public List<Problem> problems(String job) {
        read();
        return List.of();
    }

    @Override
    public List<BackfillDetails> backfills() {
        read();
        return List.of();
    }

    @Override
    public List<Instant> nextFires(String job, int count) {
        read();
        return List.of();
    }

    @Override
    public Forecast forecast(Instant from, Duration slot, int slots) {
        read();
        return new Forecast(slot, List.of(), Set.of());
    }

    @Override
    public String export() {
        read();
        return "{}";
    }

    @Override
    public List<String> diff(String document) {
        read();
        return List.of();
    }
}
