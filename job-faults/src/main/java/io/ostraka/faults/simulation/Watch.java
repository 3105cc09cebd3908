package io.ostraka.faults.simulation;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import io.ostraka.core.run.ItemRun;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Records what users' code does in one instance, and has it take time, fail and die. */
final class Watch {
    /** Users' code. */
    interface Code<T> {
        T run() throws Exception;
    }

    private final Cluster cluster;
    private final Instance instance;

    Watch(Cluster cluster, Instance instance) {
        this.cluster = cluster;
        this.instance = instance;
    }

    private static Event.RunKey key(ShardingContext context) {
        return new Event.RunKey(new Item(context.jobName(), context.itemKey()), context.fencingToken());
    }

    private Instant now() {
        return instance.machine.platform().clock().now();
    }

    SplittableRandom random() {
        return cluster.scheduler.random();
    }

    /** Whether the code takes time. */
    boolean takesTime() {
        return Fiber.current() != null;
    }

    /** Records a call of users' code. */
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
        cluster.record(new Event.Began(
                now(),
                instance.name,
                key(context),
                step,
                context.shardingTotalCount(),
                context.attempt(),
                context.instanceId(),
                context.runId(),
                context.fireTime()));
    }

    private void ended(ShardingContext context, boolean failed) {
        if (!instance.killed) {
            cluster.record(new Event.Ended(now(), instance.name, key(context), failed, told(context)));
        }
    }

    /**
     * Records the tries of runs that have child tasks, which end when these have: as the engine takes them, and not as their
     * code returns.
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

    /** Records the own code of a run that has child tasks. */
    void own(ShardingContext context, Code<?> code) throws Exception {
        Child own = new Child(context, 0, null, code);
        boolean failed = true;
        try {
            own.begin();
            code.run();
            failed = false;
        } finally {
            own.over(failed);
        }
    }

    /**
     * Makes a child task that is recorded.
     *
     * @param number by the order of submission, from 1
     */
    Tasks.Task<?> child(ShardingContext context, int number, @Nullable String key, Code<?> code) {
        return new Child(context, number, key, code);
    }

    /** A piece of a run's code, from its begin until all was told of its end. */
    private final class Child implements Tasks.Task<Object> {
        private final ShardingContext context;
        private final int number;
        private final @Nullable String key;
        private final Code<?> code;
        private boolean begun;
        private boolean failed;

        Child(ShardingContext context, int number, @Nullable String key, Code<?> code) {
            this.context = context;
            this.number = number;
            this.key = key;
            this.code = code;
        }

        private void record(boolean over) {
            if (!instance.killed) {
                cluster.record(new Event.Task(now(), instance.name, key(context), number, key, over, failed));
            }
        }

        void begin() {
            begun = true;
            record(false);
        }

        void over(boolean failure) {
            failed |= failure;
            record(true);
        }

        @Override
        public Object call() throws Exception {
            begin();
            return code.run();
        }

        @Override
        public void failed(Throwable failure) {
            failed = true;
        }

        @Override
        public void timedOut(boolean cancelled) {
            failed = true;
        }

        @Override
        public void completed() {
            if (begun) {
                over(failed);
            }
        }
    }

    /** Why the code was told to end. */
    private static @Nullable String told(ShardingContext context) {
        ItemRun.Stop why = ((ItemRun) context).stop();
        return why == null ? null : why.name();
    }

    /** Records a call of an interceptor. */
    void intercepted(ShardingContext context, String step, boolean failed) {
        if (!instance.killed) {
            cluster.record(new Event.Intercepted(now(), instance.name, key(context), step, failed));
        }
    }

    /** Records a call of a listener. */
    void notified(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes) {
        Map<String, String> texts = new TreeMap<>();
        outcomes.forEach((item, outcome) -> texts.put(item, outcome.name()));
        cluster.record(new Event.Notified(now(), instance.name, fire.jobName(), fire.runId(), over, texts));
    }

    /** Records that a once-listener is told of a fire, which takes time; its process may die meanwhile. */
    void announced(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes, int mostMillis) {
        Map<String, String> texts = new TreeMap<>();
        outcomes.forEach((item, outcome) -> texts.put(item, outcome.name()));
        announced(fire, over, false, texts);
        if (takesTime()) {
            instance.machine.pause(Duration.ofMillis(random().nextInt(mostMillis)));
            if (random().nextInt(30) == 0 && instance.machine.busy()) {
                cluster.kill(instance);
                throw new Fiber.Killed();
            }
        }
        announced(fire, over, true, texts);
    }

    private void announced(JobFire fire, boolean over, boolean returned, Map<String, String> outcomes) {
        cluster.record(new Event.Announced(
                now(), instance.name, fire.jobName(), fire.runId(), fire.instanceId(), over, returned, outcomes));
    }

    /** Writes to the store that all share. */
    void effect(ShardingContext context) {
        effect(context, null);
    }

    /** Writes to the store that all share how far a stream has come; null for what is none. */
    void effect(ShardingContext context, @Nullable Long position) {
        Event.RunKey run = key(context);
        cluster.record(new Event.Effect(now(), instance.name, run, cluster.store.write(run), position));
    }

    /** Lets time pass in the code. Its process may die meanwhile, and it may do what code does that is told to end. */
    void pause(ShardingContext context, int mostMillis) throws InterruptedException {
        instance.machine.pause(Duration.ofMillis(random().nextInt(mostMillis)));
        if (random().nextInt(60) == 0 && instance.machine.busy()) {
            cluster.kill(instance);
            throw new Fiber.Killed();
        }
        if (context.isCancelled() && random().nextBoolean()) {
            throw new InterruptedException("told to end");
        }
        if (random().nextInt(8) == 0) {
            context.checkOwnership();
        }
    }
}
