package io.ostraka.history;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
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
import io.ostraka.history.jdbc.HistorySchemaException;
import io.ostraka.history.row.AuditEntry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations that store an audit entry before each command and another one after it, and that find in the history the
 * run that a command runs again. Thread-safe.
 */
final class AuditedOperations implements Operations {
    private final Operations operations;
    private final String origin;
    private final String role;
    private final InstantSource time;
    private final Audit audit;
    private final Runs runs;

    /** Finds past runs. */
    @FunctionalInterface
    interface Runs {
        /** Returns a run; empty if the history does not contain it. */
        Optional<Repeatable> find(String job, String runId) throws SQLException;
    }

    /** Stores audit entries. */
    @FunctionalInterface
    interface Audit {
        /** @param job name of the job that the command names; null if it names none */
        void store(@Nullable String job, AuditEntry step);
    }

    AuditedOperations(Operations operations, String origin, String role, InstantSource time, Audit audit, Runs runs) {
        this.time = time;
        this.operations = operations;
        this.origin = origin;
        this.role = role;
        this.audit = audit;
        this.runs = runs;
    }

    @Override
    public CommandResult execute(Command command, CommandOptions options) {
        return audited(
                command,
                options,
                identified -> command instanceof Command.RerunItems rerun
                        ? rerun(rerun, identified)
                        : operations.execute(command, identified));
    }

    @Override
    public CommandResult rerun(Command.RerunItems command, PastRun run, CommandOptions options) {
        return audited(command, options, identified -> operations.rerun(command, run, identified));
    }

    /**
     * Runs items again. If ZooKeeper no longer has the run, or not all of its parameters, the history describes it. A
     * command with parameters asks the history first: a record without the others would take these for all of them.
     */
    private CommandResult rerun(Command.RerunItems command, CommandOptions options) {
        Repeatable known = command.parameters().isEmpty()
                ? null
                : find(
                                command,
                                "job '" + command.job() + "': the command changes parameters of " + command.runId(),
                                null)
                        .orElse(null);
        try {
            return known == null
                    ? operations.execute(command, options)
                    : operations.rerun(command, known.run(), options);
        } catch (JobConfigurationException refused) {
            Repeatable found =
                    known == null ? find(command, refused.getMessage(), refused).orElseThrow(() -> refused) : known;
            Set<String> items = command.items().isEmpty() ? found.failed() : command.items();
            if (items.isEmpty() || (known != null && items.equals(command.items()))) {
                throw refused;
            }
            return operations.rerun(
                    new Command.RerunItems(command.job(), command.runId(), items, command.parameters()),
                    found.run(),
                    options);
        }
    }

    private Optional<Repeatable> find(
            Command.RerunItems command, @Nullable String why, @Nullable JobConfigurationException refused) {
        try {
            return runs.find(command.job(), command.runId());
        } catch (SQLException | HistorySchemaException e) {
            CoordinationException unread = new CoordinationException(
                    why + "; the history may know this run, but it could not be read: try again", e);
            if (refused != null) {
                unread.addSuppressed(refused);
            }
            throw unread;
        }
    }

    private CommandResult audited(
            Command command, CommandOptions options, Function<CommandOptions, CommandResult> execution) {
        if (options.dryRun()) {
            return execution.apply(options);
        }
        CommandOptions identified = options.requestId() == null
                ? options.withRequestId(UUID.randomUUID().toString())
                : options;
        store(command, identified, null);
        try {
            CommandResult result = execution.apply(identified);
            String outcome = result.getClass().getSimpleName().toUpperCase(Locale.ROOT);
            store(command, identified, outcome + ": " + result.text());
            return result;
        } catch (RuntimeException e) {
            store(command, identified, "REFUSED: " + refusal(command, e));
            throw e;
        }
    }

    /** Describes a refusal without values that may be secret. */
    private static @Nullable String refusal(Command command, RuntimeException e) {
        boolean hasValues = command instanceof Command.SetOverride || command instanceof Command.Apply;
        if (!hasValues || e instanceof CoordinationException) {
            return e.getMessage();
        }
        return e instanceof JobConfigurationException refused
                ? "the value of " + refused.field() + " is not accepted"
                : e.getClass().getSimpleName();
    }

    private void store(Command command, CommandOptions options, @Nullable String outcome) {
        String job = command instanceof Command.OfJob ofJob ? ofJob.job() : null;
        audit.store(job, step(command, options, outcome));
    }

    private AuditEntry step(Command command, CommandOptions options, @Nullable String outcome) {
        return new AuditEntry(
                time.instant(),
                String.valueOf(options.requestId()),
                options.actor(),
                origin,
                role,
                Operation.of(command).name(),
                target(command),
                options.reason(),
                detail(command),
                outcome);
    }

    private static String target(Command command) {
        if (command instanceof Command.OfJob ofJob) {
            return ofJob.job();
        } else if (command instanceof Command.DrainInstance drain) {
            return drain.instance();
        } else if (command instanceof Command.UndrainInstance undrain) {
            return undrain.instance();
        } else if (command instanceof Command.EvictInstance evict) {
            return evict.instance();
        }
        return "";
    }

    /** Describes a command without values that may be secret. */
    private static String detail(Command command) {
        if (command instanceof Command.SetOverride set) {
            return "fields=" + set.fields().keySet() + ", until=" + set.until();
        } else if (command instanceof Command.Trigger trigger) {
            return "items=" + trigger.items() + ", delay=" + trigger.delay() + ", parameters="
                    + trigger.parameters().keySet();
        } else if (command instanceof Command.RerunItems rerun) {
            return "runId=" + rerun.runId() + ", items=" + rerun.items() + ", parameters="
                    + rerun.parameters().keySet();
        } else if (command instanceof Command.Backfill backfill) {
            return "from=" + backfill.from() + ", to=" + backfill.to() + ", parallel=" + backfill.parallel()
                    + ", maxFailures=" + backfill.maxFailures() + ", parameters="
                    + backfill.parameters().keySet();
        } else if (command instanceof Command.Apply apply) {
            return "a document of " + apply.document().length() + " characters";
        }
        String text = command.toString();
        return text.substring(text.indexOf('[') + 1, text.length() - 1);
    }

    @Override
    public NamespaceDetails namespace() {
        return operations.namespace();
    }

    @Override
    public List<JobSummary> jobs() {
        return operations.jobs();
    }

    @Override
    public List<JobActivity> activity(Collection<String> jobs) {
        return operations.activity(jobs);
    }

    @Override
    public JobDetails job(String job) {
        return operations.job(job);
    }

    @Override
    public List<ItemDetails> items(String job, Collection<String> items) {
        return operations.items(job, items);
    }

    @Override
    public String explain(String job, String item) {
        return operations.explain(job, item);
    }

    @Override
    public Optional<RunDetails> run(String job, String runId) {
        return operations.run(job, runId);
    }

    @Override
    public List<AlarmDetails> alarms() {
        return operations.alarms();
    }

    @Override
    public List<Problem> problems(Predicate<String> jobs) {
        return operations.problems(jobs);
    }

    @Override
    public List<Problem> problems(String job) {
        return operations.problems(job);
    }

    @Override
    public List<BackfillDetails> backfills() {
        return operations.backfills();
    }

    @Override
    public List<InstanceDetails> instances() {
        return operations.instances();
    }

    @Override
    public List<Instant> nextFires(String job, int count) {
        return operations.nextFires(job, count);
    }

    @Override
    public Forecast forecast(Instant from, Duration slot, int slots) {
        return operations.forecast(from, slot, slots);
    }

    @Override
    public String export() {
        return operations.export();
    }

    @Override
    public List<String> diff(String document) {
        return operations.diff(document);
    }
}
