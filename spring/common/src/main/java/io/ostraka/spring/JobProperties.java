package io.ostraka.spring;

import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Scope;
import io.ostraka.api.SessionLossPolicy;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a job in properties: of one job below {@code ostraka.jobs.<name>}, of all jobs below {@code
 * ostraka.defaults}. A component is null if its property is not set; then the annotation of the job's class decides,
 * then {@code ostraka.defaults}, and then the default of {@link io.ostraka.api.JobConfiguration}, which also explains
 * each field. A duration is written as in {@code 500ms}, {@code 20s}, {@code 5m} or {@code PT20S}; one without a unit is refused. Immutable.
 *
 * @param shardingTotalCount number of items
 * @param scope instances on which the job runs
 * @param cron cron expression in Quartz's dialect; {@code -} for a job that fires only when triggered. Set at most one
 *     of {@code cron}, {@code fixedRate}, {@code fixedDelay}, {@code adaptive}, {@code continuous} and {@code once}
 * @param timeZone time zone of the cron expression and of the excluded times, such as {@code Europe/Berlin}; UTC by
 *     default
 * @param fixedRate period between two fires
 * @param fixedDelay pause between the end of a run of an item and its next fire
 * @param adaptive delay after each run, which grows while runs exceed their time limit
 * @param continuous pause of an item after a run that found no work or failed; after a run that found work, the item
 *     runs again at once
 * @param once instant of the only fire, such as {@code 2027-01-31T22:00:00Z}
 * @param start earliest instant of a fire
 * @param end latest instant of a fire
 * @param jitter upper bound of the delay between a fire and the start of each item
 * @param excluded times without fires
 * @param shardingItemParameters parameters of individual items, by item
 * @param jobParameter parameter that all items receive
 * @param description purpose of the job, for people
 * @param labels labels of the job, such as {@code owner: payments}
 * @param history runs that the history keeps: {@code ALL}, {@code FAILURES}, {@code SLOW(10s)} or {@code NONE}
 * @param alarms when the job's alarms begin: {@code default}, {@code off}, or settings such as {@code MISSED=10m
 *     FAILING=3 LATE=off}
 * @param paused whether the job is registered as paused
 * @param pauseReason why the job is registered as paused; health, alarms and views show it
 * @param streaming whether a dataflow job fetches until a fetch returns no data
 * @param fenceEpoch highest-order bits of all fencing tokens of the job, to be raised after a restore from a backup
 * @param revision revision of the definition, which never replaces one of a higher revision
 * @param shardingStrategy type of the strategy that places items on instances
 * @param requiredInstances condition that an instance must meet to run items, such as {@code gpu & !batch}
 * @param preferredInstances condition for instances that run items if any such instance exists
 * @param maxItemsPerInstance largest number of items on one instance; 0 for no limit
 * @param antiAffinity name of another job; its instances get no items of this job
 * @param staticSharding whether each item stays on the instance to which it was first assigned
 * @param restartGrace time for which items of an instance that was shut down wait for its restart
 * @param concurrency largest number of items of the job that run in one process at the same time; 0 for no limit
 * @param timeout time limit of a run
 * @param maxAttempts number of instances that may die while they run the same fire of an item
 * @param quarantineAfter number of failed fires in a row after which an item is quarantined; 0 for never
 * @param shutdownGrace time in which running items may finish when the instance shuts down
 * @param misfire policy for misfired fires: {@code fire-once}, {@code skip} or {@code fire-all(n)}
 * @param misfireThreshold age from which a fire counts as misfired
 * @param catchUpWindow largest age of a misfired fire that may still run
 * @param overlap policy for overlapping fires: {@code skip}, {@code coalesce}, {@code queue(n)} or {@code
 *     cancel-running}
 * @param retry retries of a failed item within one fire
 * @param failover whether another instance repeats the run of an instance that died
 * @param sessionLoss treatment of runs whose instance has lost its session
 * @param errorHandler type of the handler for failed runs
 */
public record JobProperties(
        @Nullable Integer shardingTotalCount,
        @Nullable Scope scope,
        @Nullable String cron,
        @Nullable ZoneId timeZone,
        @Nullable Duration fixedRate,
        @Nullable Duration fixedDelay,
        @Nullable Adaptive adaptive,
        @Nullable Duration continuous,
        @Nullable Instant once,
        @Nullable Instant start,
        @Nullable Instant end,
        @Nullable Duration jitter,
        @Nullable Excluded excluded,
        @Nullable Map<Integer, String> shardingItemParameters,
        @Nullable String jobParameter,
        @Nullable String description,
        @Nullable Map<String, String> labels,
        @Nullable HistoryLevel history,
        @Nullable AlarmPolicy alarms,
        @Nullable Boolean paused,
        @Nullable String pauseReason,
        @Nullable Boolean streaming,
        @Nullable Integer fenceEpoch,
        @Nullable Long revision,
        @Nullable String shardingStrategy,
        @Nullable String requiredInstances,
        @Nullable String preferredInstances,
        @Nullable Integer maxItemsPerInstance,
        @Nullable String antiAffinity,
        @Nullable Boolean staticSharding,
        @Nullable Duration restartGrace,
        @Nullable Integer concurrency,
        @Nullable Duration timeout,
        @Nullable Integer maxAttempts,
        @Nullable Integer quarantineAfter,
        @Nullable Duration shutdownGrace,
        @Nullable MisfirePolicy misfire,
        @Nullable Duration misfireThreshold,
        @Nullable Duration catchUpWindow,
        @Nullable OverlapPolicy overlap,
        @Nullable Retry retry,
        @Nullable Boolean failover,
        @Nullable SessionLossPolicy sessionLoss,
        @Nullable String errorHandler) {

    /**
     * A schedule with a delay after each run, which grows while runs exceed their time limit. See {@link
     * io.ostraka.api.Schedule.Adaptive}.
     *
     * @param base initial delay, and time limit of each run
     * @param bound largest multiple of the base that the delay can reach
     */
    public record Adaptive(@Nullable Duration base, @Nullable Integer bound) {}

    /**
     * Times without fires, in the time zone of the schedule. See {@link io.ostraka.api.Exclusions}.
     *
     * @param weekdays days of the week
     * @param dates dates, such as {@code 2026-12-24}
     * @param yearly days of each year, such as {@code 12-24}
     * @param monthly days of each month, from 1 to 31
     * @param windows times of each day, such as {@code 22:00-06:00}
     * @param crons cron expressions of excluded instants
     */
    public record Excluded(
            @Nullable Set<DayOfWeek> weekdays,
            @Nullable List<LocalDate> dates,
            @Nullable List<String> yearly,
            @Nullable List<Integer> monthly,
            @Nullable List<String> windows,
            @Nullable List<String> crons) {}

    /**
     * Retries of a failed item within one fire. See {@link io.ostraka.api.RetryPolicy}, which has the defaults.
     *
     * @param attempts largest number of attempts, including the first
     * @param initial pause after the first failure
     * @param factor multiplier for each further pause
     * @param max longest pause
     * @param jitter random part of each pause, from 0 to 1
     */
    public record Retry(
            @Nullable Integer attempts,
            @Nullable Duration initial,
            @Nullable Double factor,
            @Nullable Duration max,
            @Nullable Double jitter) {
        boolean hasPauses() {
            return initial != null || factor != null || max != null || jitter != null;
        }
    }
}
