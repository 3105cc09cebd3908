package io.ostraka.faults.recorder;

import io.ostraka.api.Health;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobRun;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.time.Clock;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Records the user code of one process and the triggers of its engine. Thread-safe if its sink is thread-safe. */
public final class Recorder {
    /** The user code of a call. */
    public interface Code<T> {
        T run() throws Exception;
    }

    /**
     * Time within which an instance must have published a change of its health. The instance writes a digest at most
     * every 5 s, and its requests may be slow.
     */
    private static final Duration STEADY = Duration.ofSeconds(10);

    private final String process;
    private final Clock clock;
    private final EventSink sink;

    /**
     * Creates a recorder for one process.
     *
     * @param process name of the process
     * @param clock source of the times of events
     */
    public Recorder(String process, Clock clock, EventSink sink) {
        this.process = process;
        this.clock = clock;
        this.sink = sink;
    }

    void record(Event event) {
        sink.record(event);
    }

    Instant now() {
        return clock.now();
    }

    String process() {
        return process;
    }

    /** Returns the name of a run in histories. */
    public static Event.RunKey key(ShardingContext context) {
        return new Event.RunKey(new Item(context.jobName(), context.itemKey()), context.fencingToken());
    }

    /** Returns the reason for which the engine has stopped the run; null if the engine has not stopped it. */
    public static @Nullable String stop(ShardingContext context) {
        ItemRun.Stop why = ((ItemRun) context).stop();
        return why == null ? null : why.name();
    }

    /** Records a call of user code: its beginning before the code starts, and its end before the call returns. */
    public <T> T call(ShardingContext context, String step, Code<T> code) throws Exception {
        began(context, step);
        boolean failed = true;
        try {
            T result = code.run();
            failed = false;
            return result;
        } finally {
            ended(context, failed);
        }
    }

    private void began(ShardingContext context, String step) {
        record(new Event.Began(
                now(),
                process,
                key(context),
                step,
                context.shardingTotalCount(),
                context.attempt(),
                context.instanceId(),
                context.runId(),
                context.fireTime()));
    }

    private void ended(ShardingContext context, boolean failed) {
        sink.ended(context, new Event.Ended(now(), process, key(context), failed, stop(context)));
    }

    /**
     * Returns an interceptor for runs with child tasks and for code outside of Java. The end of such an attempt is not
     * the end of a method call, so the interceptor records the beginning and the end that the engine sees.
     */
    public RunInterceptor tries() {
        return new RunInterceptor() {
            @Override
            public int order() {
                return Integer.MAX_VALUE;
            }

            @Override
            public void before(ShardingContext context) {
                began(context, "execute");
            }

            @Override
            public void after(ShardingContext context) {
                ended(context, false);
            }

            @Override
            public void completion(ShardingContext context, @Nullable Throwable failure) {
                if (failure != null) {
                    ended(context, true);
                }
            }
        };
    }

    /** Records the run's own code, for a run that has child tasks. */
    public void own(ShardingContext context, Code<?> code) throws Exception {
        RecordedTask own = new RecordedTask(this, context, 0, null, code);
        boolean failed = true;
        try {
            own.call();
            failed = false;
        } finally {
            own.ended(failed);
        }
    }

    /**
     * Creates a recorded child task.
     *
     * @param number position of the task in the order of submission, from 1
     */
    public Tasks.Task<?> child(ShardingContext context, int number, @Nullable String key, Code<?> code) {
        return new RecordedTask(this, context, number, key, code);
    }

    /** Records the start or the end of the preparation before the first item. */
    public void prepared(boolean done) {
        record(new Event.Prepared(now(), process, done));
    }

    /** Records a call of an interceptor. */
    void intercepted(ShardingContext context, String step, boolean failed) {
        record(new Event.Intercepted(now(), process, key(context), step, failed));
    }

    /** Records a call of a listener. */
    void notified(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes) {
        record(new Event.Notified(now(), process, fire.jobName(), fire.runId(), over, texts(outcomes)));
    }

    /**
     * Records a call of a once-listener.
     *
     * @param returned true at the end of the call, false at its beginning
     */
    void announced(JobFire fire, boolean over, boolean returned, Map<String, ItemOutcome> outcomes) {
        record(new Event.Announced(
                now(), process, fire.jobName(), fire.runId(), fire.instanceId(), over, returned, texts(outcomes)));
    }

    private static Map<String, String> texts(Map<String, ItemOutcome> outcomes) {
        Map<String, String> texts = new TreeMap<>();
        outcomes.forEach((item, outcome) -> texts.put(item, outcome.name()));
        return texts;
    }

    /** Records a trigger and the outcome of its run. */
    public void asked(String job, Set<String> items, JobRun run) {
        record(new Event.Asked(now(), process, job, run.runId(), items));
        run.completion()
                .whenComplete((outcomes, error) ->
                        record(new Event.Told(now(), process, run.runId(), error == null ? texts(outcomes) : null)));
    }

    /** Records a defect that the engine reports about a job. */
    public void defect(String job, String text) {
        record(new Event.Defect(now(), process, job, text));
    }

    /**
     * Records the engine's health.
     *
     * @param unchanged time since the last change of the health
     */
    public void health(Health health, Duration unchanged) {
        Map<String, Map<String, String>> reasons = new TreeMap<>();
        health.jobs().forEach((name, job) -> {
            Map<String, String> texts = new TreeMap<>();
            job.reasons().forEach(reason -> texts.put(reason.kind().name(), reason.text()));
            reasons.put(name, texts);
        });
        record(new Event.Health(
                now(),
                process,
                health.instanceId(),
                health.connected() ? health.problem() : "not connected since " + health.connectedSince(),
                reasons,
                unchanged.compareTo(STEADY) > 0));
    }

    /** Records the number of requests that the engine has sent so far. */
    public void requests(long transactions, long reads, int places) {
        record(new Event.Requests(now(), process, transactions, reads, places));
    }
}
