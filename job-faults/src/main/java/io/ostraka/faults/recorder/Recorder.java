package io.ostraka.faults.worker;

import io.ostraka.api.Health;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.time.Clock;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Records what users' code does in this process, and what is asked of the engine. Thread-safe. */
final class Recorder {
    /** Users' code. */
    interface Code<T> {
        T run() throws Exception;
    }

    /** A call of users' code that was recorded as returning, untold to end by then. */
    private record Returned(ShardingContext context, EventLog.Line line, Event.Ended ended) {}

    private final String process;
    private final Clock clock;
    private final EventLog log;
    private final ThreadLocal<@Nullable Returned> last = new ThreadLocal<>();

    Recorder(String process, Clock clock, EventLog log) {
        this.process = process;
        this.clock = clock;
        this.log = log;
    }

    static Event.RunKey key(ShardingContext context) {
        return new Event.RunKey(new Item(context.jobName(), context.itemKey()), context.fencingToken());
    }

    /** Why the code was told to end. */
    private static @Nullable String told(ShardingContext context) {
        ItemRun.Stop why = ((ItemRun) context).stop();
        return why == null ? null : why.name();
    }

    /** Records a call of users' code: that it begins before it does anything, and that it ends before it returns. */
    <T> T call(ShardingContext context, String step, Code<T> code) throws Exception {
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
        log.append(new Event.Began(
                clock.now(),
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
        Event.Ended ended = new Event.Ended(clock.now(), process, key(context), failed, told(context));
        EventLog.Line line = log.append(ended);
        last.set(ended.told() != null ? null : new Returned(context, line, ended));
    }

    /**
     * Records the tries of runs whose code is no Java, or has child tasks: as the engine takes them, and not as a method
     * returns.
     */
    RunInterceptor tries() {
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

    /** Records the code of runs that have child tasks, and these. */
    Children children() {
        return new Children(process, clock, log);
    }

    /** Records that what must be done before the first work is begun, or has been done. */
    void prepared(boolean done) {
        log.append(new Event.Prepared(clock.now(), process, done));
    }

    /**
     * Returns the same workers, which also look again at what they have run once the engine has taken its end: told to end
     * between the record of the end and the return, it was told before its end. The record is made good then.
     */
    Executor looking(Executor workers) {
        return task -> workers.execute(() -> {
            try {
                task.run();
            } finally {
                Returned returned = last.get();
                last.remove();
                String told = returned == null ? null : told(returned.context);
                if (returned != null && told != null) {
                    Event.Ended was = returned.ended;
                    log.append(new EventLog.Line(
                            returned.line.nanos() + 1,
                            returned.line.wall(),
                            new Event.Ended(was.at(), was.process(), was.run(), was.failed(), told)));
                }
            }
        });
    }

    /** Stands around the runs of jobs, hears of their fires, and records it. */
    Heard heard() {
        return new Heard();
    }

    final class Heard implements RunInterceptor, JobListener {
        private Heard() {}

        @Override
        public int order() {
            return 0;
        }

        /** None that a stopped process could reach: then what waits would go on before it is told. */
        @Override
        public Duration timeLimit() {
            return Duration.ofDays(1);
        }

        private void intercepted(ShardingContext context, String step, boolean failed) {
            log.append(new Event.Intercepted(clock.now(), process, key(context), step, failed));
        }

        @Override
        public void before(ShardingContext context) {
            intercepted(context, "before", false);
        }

        @Override
        public void after(ShardingContext context) {
            intercepted(context, "after", false);
        }

        @Override
        public void completion(ShardingContext context, @Nullable Throwable failure) {
            intercepted(context, "completion", failure != null);
        }

        @Override
        public void beforeFire(JobFire fire) {
            notified(fire, false, Map.of());
        }

        @Override
        public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {
            notified(fire, true, outcomes);
        }

        private void notified(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes) {
            log.append(new Event.Notified(clock.now(), process, fire.jobName(), fire.runId(), over, texts(outcomes)));
        }
    }

    /**
     * Records that a once-listener is told of a fire.
     *
     * @param returned whether it has been told
     */
    void announced(JobFire fire, boolean over, boolean returned, Map<String, ItemOutcome> outcomes) {
        log.append(new Event.Announced(
                clock.now(),
                process,
                fire.jobName(),
                fire.runId(),
                fire.instanceId(),
                over,
                returned,
                texts(outcomes)));
    }

    private static Map<String, String> texts(Map<String, ItemOutcome> outcomes) {
        Map<String, String> texts = new TreeMap<>();
        outcomes.forEach((item, outcome) -> texts.put(item, outcome.name()));
        return texts;
    }

    void asked(String job, String runId, Set<String> items) {
        log.append(new Event.Asked(clock.now(), process, job, runId, items));
    }

    void told(String runId, @Nullable Map<String, String> outcomes) {
        log.append(new Event.Told(clock.now(), process, runId, outcomes));
    }

    void defect(String job, String text) {
        log.append(new Event.Defect(clock.now(), process, job, text));
    }

    void health(Health health) {
        Map<String, Map<String, String>> reasons = new TreeMap<>();
        health.jobs().forEach((name, job) -> {
            Map<String, String> texts = new TreeMap<>();
            job.reasons().forEach(reason -> texts.put(reason.kind().name(), reason.text()));
            reasons.put(name, texts);
        });
        log.append(new Event.Health(
                clock.now(),
                process,
                health.instanceId(),
                health.connected() ? health.problem() : "not connected since " + health.connectedSince(),
                reasons));
    }

    void requests(long transactions, long reads, int places) {
        log.append(new Event.Requests(clock.now(), process, transactions, reads, places));
    }
}
