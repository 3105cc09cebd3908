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
 * The slots in which a process runs items. Quick jobs share one pool of slots and slow jobs another, so that slow jobs
 * do not block quick ones. Child tasks use a third pool. Each pool serves its requests first in, first out. An item
 * without a slot is not claimed and stays due. Thread-safe.
 */
public final class RunSlots {
    /** Time after which a wait for a slot is reported. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(RunSlots.class);
    private static final int MOST_SHOWN = 20;

    private final Platform platform;
    private final Pool quick;
    private final Pool slow;
    private final Pool tasks;
    /** Current runs, with the pool in which each has its slot. */
    private final Map<ItemRun, Pool> underWay = new ConcurrentHashMap<>();

    /**
     * Creates the pools of a process.
     *
     * @param platform supplies the worker threads
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

    /** Returns the pool in which a job's next run needs a slot. */
    public Pool pool(Speed speed) {
        return speed.slow(platform.clock().monotonicNanos()) ? slow : quick;
    }

    Pool tasks() {
        return tasks;
    }

    /** Returns the current load of each pool, by the pool's name. */
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
     * Measures how long the runs of one job take. A job becomes slow when eleven of its runs within one minute take
     * more than half a second each. It becomes quick again after a minute without such a run. xxl-job's trigger pools
     * have the same limits, but count per clock minute. Thread-safe.
     */
    public static final class Speed {
        private static final long SLOW_NANOS = Duration.ofMillis(500).toNanos();
        private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
        private static final int TOLERATED = 10;

        /**
         * End times of the latest slow runs, in monotonic nanoseconds. The array is a ring: the next end time
         * overwrites the oldest.
         */
        private final long[] slowEnds = new long[TOLERATED + 1];

        private long count;
        private boolean slow;

        /**
         * Records the end of a run.
         *
         * @param tookNanos duration of the run, in nanoseconds
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

        /**
         * Returns whether the job is slow.
         *
         * @param now monotonic nanoseconds
         */
        synchronized boolean slow(long now) {
            return slow && now - slowEnds[(int) ((count - 1) % slowEnds.length)] <= MINUTE_NANOS;
        }
    }

    /**
     * A fixed number of slots. A slot that becomes free is reserved for the request that has waited longest, so no
     * other request can take it. Thread-safe.
     */
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
         * Creates a request. The request asks for slots only when {@link Request#take} or {@link Request#reserveOne} is
         * called.
         *
         * @param served called on any thread when a slot is reserved for the request; must return at once and only
         *     schedule a call of {@link Request#take}
         */
        public Request request(Runnable served) {
            return new Request(served);
        }

        /** Takes a slot for a run that has been claimed already, even if no slot is free. */
        public synchronized void takeUnasked() {
            taken(1);
        }

        /** Frees a slot, and reserves free slots for the requests that have waited longest. */
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

        public synchronized int taken() {
            return taken;
        }

        public synchronized int waiting() {
            return waiting.size();
        }

        /** Returns the total number of slots. */
        public int size() {
            return size;
        }

        private void taken(int more) {
            taken += more;
            largestTaken = Math.max(largestTaken, taken);
        }

        /** Reserves free slots for the requests that have waited longest, one slot for each. Returns these requests. */
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
                            .filter(run ->
                                    // child tasks may belong to runs of any pool
                                    this == tasks || run.getValue() == this)
                            .limit(MOST_SHOWN)
                            .map(run -> "\n" + run.getKey() + run.getKey().whereabouts())
                            .collect(Collectors.joining()));
        }

        /**
         * A request for slots. If it gets fewer slots than it wants, it waits in line; later requests do not overtake
         * it.
         */
        public final class Request {
            private final Runnable served;
            private int mine;
            private boolean waits;

            private Request(Runnable served) {
                this.served = served;
            }

            /**
             * Takes slots, starting with those that are reserved for this request. If the request gets fewer than it
             * wants, it waits in line for more. If it wants none, it leaves the line and frees its reserved slots.
             *
             * @param wanted number of slots, from 0
             * @return number of slots taken; each must be {@linkplain Pool#release released} once
             */
            public int take(int wanted) {
                return take(wanted, wanted);
            }

            /**
             * Takes slots like {@link #take(int)}, but at most {@code most}, because the caller cannot use more at once. If
             * more slots are free, one is reserved for this request, which is then served again.
             */
            public int take(int wanted, int most) {
                List<Request> next;
                int got;
                synchronized (Pool.this) {
                    got = Math.min(available(), most);
                    reserved -= mine;
                    mine = 0;
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

            /** Returns the number of slots that this request can take now. */
            public int available() {
                synchronized (Pool.this) {
                    boolean first = waiting.isEmpty() || (waits && waiting.size() == 1);
                    return mine + (first ? Math.max(0, size - taken - reserved) : 0);
                }
            }

            /**
             * Reserves one slot before the caller knows how many it needs.
             *
             * @return true if a slot is reserved; otherwise the request waits in line
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

            /** Frees the reserved slots of this request and leaves the line. */
            public void withdraw() {
                take(0);
            }

            /** Returns whether the request waits in line or has a reserved slot. */
            public boolean pending() {
                synchronized (Pool.this) {
                    return waits || mine > 0;
                }
            }

            public Pool pool() {
                return Pool.this;
            }
        }
    }
}
