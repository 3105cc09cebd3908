package io.ostraka.core.run;

import io.ostraka.api.metrics.Load;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots in which a process runs items. Jobs with quick runs share one pool of slots, jobs with slow runs a second one, so that
 * slow jobs do not block quick ones; child tasks use a third. Requests are served first in, first out. No item waits in a pool: an
 * item without a slot is not claimed and stays due. Thread-safe.
 */
public final class RunSlots {
    /** Time after which a missing slot is reported. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(RunSlots.class);
    private static final int MOST_SHOWN = 20;

    private final Platform platform;
    private final Pool quick;
    private final Pool slow;
    private final Pool tasks;
    /** Present runs, with the pool whose slot each has. */
    private final Map<ItemRun, Pool> underWay = new ConcurrentHashMap<>();

    /**
     * Creates the pools of a process.
     *
     * @param platform supplies the worker threads, which users' code may block
     * @param quickRuns number of items of quick jobs that may run at once, from 1
     * @param slowRuns number of items of slow jobs that may run at once, from 1
     * @param taskRuns number of child tasks that may run at once, from 1
     */
    public RunSlots(Platform platform, int quickRuns, int slowRuns, int taskRuns) {
        this.platform = platform;
        this.quick = new Pool("items of quick jobs", quickRuns);
        this.slow = new Pool("items of slow jobs", slowRuns);
        this.tasks = new Pool("tasks of runs", taskRuns);
    }

    Platform platform() {
        return platform;
    }

    /** Returns the pool for a job's next run. */
    public Pool pool(Speed speed) {
        return speed.slow(platform.clock().monotonicNanos()) ? slow : quick;
    }

    /** Returns the pool for child tasks. */
    Pool tasks() {
        return tasks;
    }

    /** Returns the present load by the pool's name. */
    public Map<String, Load.Slots> load() {
        return Map.of("quick", quick.load(), "slow", slow.load(), "tasks", tasks.load());
    }

    void started(ItemRun run, Pool pool) {
        underWay.put(run, pool);
    }

    void ended(ItemRun run) {
        underWay.remove(run);
    }

    /**
     * How long the runs of one job take. A job is slow from its eleventh run of more than half a second within one minute until a
     * minute without such a run. The limits are those of xxl-job's trigger pools, which count by the clock's minute. Thread-safe.
     */
    public static final class Speed {
        private static final long SLOW_NANOS = Duration.ofMillis(500).toNanos();
        private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
        private static final int TOLERATED = 10;

        /** Ends of the latest slow runs, in a ring; the next end overwrites the oldest. */
        private final long[] slowEnds = new long[TOLERATED + 1];

        private long count;
        private boolean slow;

        /**
         * Records the end of a run.
         *
         * @param now monotonic nanoseconds
         */
        synchronized void ended(long tookNanos, long now) {
            slow = slow(now);
            if (tookNanos <= SLOW_NANOS) {
                return;
            }
            slowEnds[(int) (count % slowEnds.length)] = now;
            count++;
            boolean oftenEnough = count >= slowEnds.length;
            slow |= oftenEnough && now - slowEnds[(int) (count % slowEnds.length)] <= MINUTE_NANOS;
        }

        /** Returns whether the job is slow; {@code now} is in monotonic nanoseconds. */
        synchronized boolean slow(long now) {
            return slow && now - slowEnds[(int) ((count - 1) % slowEnds.length)] <= MINUTE_NANOS;
        }
    }

    /** A fixed number of slots. Thread-safe. */
    public final class Pool {
        private final String users;
        private final int size;
        private final Deque<Request> waiting = new ArrayDeque<>();
        private int taken;
        private int largestTaken;
        private long completed;
        private int reserved;
        private boolean saturated;
        private Runnable cancelReport = () -> {};

        Pool(String users, int size) {
            if (size < 1) {
                throw new IllegalArgumentException(
                        "the pool for " + users + " has " + size + " slots; accepted: 1 or more");
            }
            this.users = users;
            this.size = size;
        }

        /**
         * Creates a request for slots, which asks for none yet.
         *
         * @param served called on any thread when a slot is reserved for the request; must only enqueue a call of {@link
         *     Request#take}
         */
        public Request request(Runnable served) {
            return new Request(served);
        }

        /** Takes a slot for a run that has begun already, even if none is free. */
        public synchronized void takeUnasked() {
            taken(1);
        }

        /** Returns a slot. */
        public void release() {
            List<Request> next;
            synchronized (this) {
                taken--;
                completed++;
                next = reserve();
            }
            next.forEach(request -> request.served.run());
        }

        synchronized Load.Slots load() {
            return new Load.Slots(size, taken, largestTaken, waiting.size(), completed);
        }

        /** Returns the number of taken slots. */
        public synchronized int taken() {
            return taken;
        }

        /** Returns the number of requests that wait for a slot. */
        public synchronized int waiting() {
            return waiting.size();
        }

        /** Returns the number of slots. */
        public int size() {
            return size;
        }

        private void taken(int more) {
            taken += more;
            largestTaken = Math.max(largestTaken, taken);
        }

        /** Reserves free slots for waiting requests, one each. */
        private List<Request> reserve() {
            List<Request> next = new ArrayList<>();
            while (taken + reserved < size && !waiting.isEmpty()) {
                Request first = waiting.remove();
                first.waits = false;
                first.mine++;
                reserved++;
                next.add(first);
            }
            if (taken + reserved < size) {
                saturated(false);
            }
            return next;
        }

        private void saturated(boolean now) {
            if (saturated != now) {
                saturated = now;
                cancelReport.run();
                cancelReport = now ? platform.later(PATIENCE, this::report) : () -> {};
            }
        }

        private void report() {
            log.warn(
                    "all {} slots for {} have been taken for {}; others wait for one. Under way:{}",
                    size,
                    users,
                    PATIENCE,
                    underWay.entrySet().stream()
                            .filter(run -> this == tasks || run.getValue() == this) // any run may have tasks
                            .limit(MOST_SHOWN)
                            .map(run -> "\n" + run.getKey() + run.getKey().whereabouts())
                            .collect(Collectors.joining()));
        }

        /** A request for slots. A request that gets fewer than it wants waits for its turn; no later request overtakes it. */
        public final class Request {
            private final Runnable served;
            private int mine;
            private boolean waits;

            private Request(Runnable served) {
                this.served = served;
            }

            /**
             * Takes slots, those reserved for this request first. A request that gets fewer than it wants waits for more; a
             * request that wants none waits no longer.
             *
             * @param wanted number of slots, from 0
             * @return number of slots taken; each must be {@linkplain Pool#release released} once
             */
            public int take(int wanted) {
                List<Request> next;
                int got;
                synchronized (Pool.this) {
                    got = Math.min(mine, wanted);
                    reserved -= mine;
                    mine = 0;
                    if (waiting.isEmpty() || (waits && waiting.size() == 1)) {
                        got += Math.max(0, Math.min(wanted - got, size - taken - reserved - got));
                    }
                    taken(got);
                    if (got < wanted) {
                        await();
                    } else if (waits) {
                        waits = false;
                        waiting.remove(this);
                    }
                    next = reserve();
                }
                next.forEach(request -> request.served.run());
                return got;
            }

            /**
             * Reserves a slot before the number of wanted slots is known.
             *
             * @return whether a slot is reserved; otherwise the request waits for its turn
             */
            public boolean reserveOne() {
                synchronized (Pool.this) {
                    if (mine == 0 && !waits) {
                        if (waiting.isEmpty() && taken + reserved < size) {
                            mine++;
                            reserved++;
                        } else {
                            await();
                        }
                    }
                    return mine > 0;
                }
            }

            private void await() {
                if (!waits) {
                    waits = true;
                    waiting.add(this);
                }
                saturated(true);
            }

            /** Returns reserved slots to the pool and stops waiting. */
            public void withdraw() {
                take(0);
            }

            /** Returns whether the request waits for a slot or has a reserved one. */
            public boolean pending() {
                synchronized (Pool.this) {
                    return waits || mine > 0;
                }
            }

            /** Returns the pool that the request is for. */
            public Pool pool() {
                return Pool.this;
            }
        }
    }
}
