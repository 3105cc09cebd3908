package io.ostraka.api.operations;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Views and commands for operators of a namespace. They cover all jobs and instances of the namespace. Every other
 * interface for operators offers the operations of this interface; {@link Operation} lists them.
 *
 * <p>An application gets an object of this type from its registry. A tool gets an object that is connected as an
 * observer: an observer hosts no job, never leads, and does not disturb instances. Both objects act on the whole
 * namespace.
 *
 * <p>Every method waits for ZooKeeper, at most for the operation timeout. It throws a {@link
 * io.ostraka.api.CoordinationException} if ZooKeeper does not answer in time or this object is closed. If an argument
 * is not accepted, it throws a {@link io.ostraka.api.JobConfigurationException}, or an {@link IllegalArgumentException}
 * for an argument that does not belong to a job. A view is a snapshot, but not an atomic one: its nodes are read one
 * after the other. Thread-safe.
 */
public interface Operations {
    /** Shows the state of the whole namespace. */
    NamespaceDetails namespace();

    /**
     * Lists all jobs, sorted by name. Callers share one read for half a second, so the cost does not depend on the
     * number of callers. After this object has executed a command, the next list shows the effect of the command.
     */
    List<JobSummary> jobs();

    /**
     * Shows the current runs of jobs and the outcomes of their last runs. Reads every item of these jobs, so pass only
     * the jobs that are displayed to a person.
     *
     * @param jobs names of at most 100 jobs
     * @return one element for each job that has a plan, in the given order
     */
    List<JobActivity> activity(Collection<String> jobs);

    /**
     * Shows one job.
     *
     * @throws io.ostraka.api.CoordinationException if the job does not exist
     */
    JobDetails job(String job);

    /**
     * Lists items of a job, sorted by key.
     *
     * @param items keys of the items; empty for all items of the job
     * @throws io.ostraka.api.CoordinationException if the job does not exist
     */
    List<ItemDetails> items(String job, Collection<String> items);

    /**
     * Explains why an item is assigned to its instance, for example by the strategy, after a failover or after a drain.
     * If the item has no instance, the text explains why. If a different instance currently runs the item, the text
     * also names that instance. Finally, the text names everything that keeps the item from starting: quarantine, a
     * disabled item, a paused or removed job, a frozen namespace.
     *
     * @param item the {@link io.ostraka.api.ShardingContext#itemKey()}; for numbered items the number in digits
     * @throws io.ostraka.api.CoordinationException if the job has no plan
     */
    String explain(String job, String item);

    /**
     * Shows a run that a manual trigger has requested. ZooKeeper keeps the run for an hour after its end. The run id of
     * a scheduled fire is refused: {@link #items} shows the latest fire of each item, and the history shows earlier
     * fires.
     *
     * @param runId id of the run: the request id of the trigger command, or {@link io.ostraka.api.JobRun#runId()}
     * @return the run; empty if ZooKeeper has no trace of it
     */
    Optional<RunDetails> run(String job, String runId);

    /**
     * Lists the latest backfill of each job that has had one, sorted by job. If the node of a backfill is unreadable,
     * the backfill is missing here, {@link #job} describes the node, and the job's health reports {@code
     * BACKFILL_FAILED}.
     */
    List<BackfillDetails> backfills();

    /**
     * Lists the current alarms, and the latest ended alarm of each kind, for all jobs and the namespace. The current
     * alarms come first; within both groups, the latest alarm comes first. A problem that has not yet lasted as long as
     * the time limit of its kind is not listed.
     */
    List<AlarmDetails> alarms();

    /**
     * Lists the situations that need a person, most urgent first: those of the namespace, of instances and of all jobs.
     * Reads every item of all jobs, up to 1,000 jobs, and more nodes of at most 50 jobs with problems.
     */
    default List<Problem> problems() {
        return problems(job -> true);
    }

    /**
     * Lists the situations of the namespace, of instances and of some jobs that need a person, most urgent first. Both
     * limits of {@link #problems()} apply to these jobs alone, so other jobs with problems hide none of them.
     *
     * @param jobs returns whether the list may contain problems of the job with this name; may be called several times
     *     for each job, on the calling thread
     */
    List<Problem> problems(Predicate<String> jobs);

    /**
     * Lists the situations of one job that need a person, most urgent first. A freeze and a drain are included, because
     * they stop the job, too.
     *
     * @throws io.ostraka.api.CoordinationException if the job does not exist
     */
    List<Problem> problems(String job);

    /** Lists all registered instances, sorted by id. */
    List<InstanceDetails> instances();

    /**
     * Lists the next fires of a job from now on, earliest first. Fires that do not start because of a pause, a freeze or
     * skipped fires are not included, so the list is empty while a pause or freeze without an end lasts, for a removed
     * job, and if all items are disabled. It is shorter than {@code count} if the schedule ends. For a schedule that counts from the end of a run, the list contains at most one
     * fire, because the fires after it depend on the next run.
     *
     * @param count 1 to 1,000
     * @throws io.ostraka.api.CoordinationException if the job has no plan
     */
    List<Instant> nextFires(String job, int count);

    /**
     * Counts the scheduled fires of all jobs that are neither paused nor removed. In a period with more than ten million
     * fires of cron schedules, this is refused, because it would take long.
     *
     * @param from start of the period, which has at most 366 days
     * @param slot length of each part, a minute to 31 days
     * @param slots number of parts, 1 to 1,440
     * @throws IllegalArgumentException if an argument or the period is not accepted
     */
    Forecast forecast(Instant from, Duration slot, int slots);

    /**
     * Exports everything that operators have set: overrides, pauses, skipped fires, disabled items and instances,
     * removals, the freeze of the namespace and drained instances. Definitions are not included, because applications
     * register them again.
     *
     * @return a JSON document
     */
    String export();

    /**
     * Compares an exported document with the namespace.
     *
     * @param document a document that {@link #export} has returned
     * @return one sentence for each difference; empty if there is none
     * @throws IllegalArgumentException if the document is not readable
     */
    List<String> diff(String document);

    /**
     * Executes a command.
     *
     * @return the result; {@link CommandResult.Unknown} if ZooKeeper did not answer in time
     * @throws IllegalArgumentException if the options expect a version and the command cannot compare versions (see
     *     {@link CommandOptions#expectedVersion}); nothing was changed
     * @throws io.ostraka.api.JobConfigurationException if a value is not accepted; nothing was changed
     * @throws io.ostraka.api.CoordinationException if the job does not exist, if its state does not permit the command,
     *     or if the request could not be sent to ZooKeeper; nothing was changed
     */
    CommandResult execute(Command command, CommandOptions options);

    /**
     * Runs items of a past run again. Unlike {@link #execute}, which finds the run only as long as it is the latest run
     * of its items, this method accepts the description of a run by a history.
     *
     * @param command the items, and the parameters to change. If it names no items, those that failed as their records
     *     show, if this is still their latest run
     * @param run description of the run {@link Command.RerunItems#runId}. If the item's record still has the run, the
     *     record counts
     * @return the result, as {@link #execute} returns it; exceptions are the same, too
     */
    CommandResult rerun(Command.RerunItems command, PastRun run, CommandOptions options);
}
