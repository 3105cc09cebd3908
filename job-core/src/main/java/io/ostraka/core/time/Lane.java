package io.ostraka.core.time;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks strictly one after the other, in order, on a shared executor: a serial queue without a thread of its own.
 * Thread-safe. A task's writes are visible to the next.
 */
public final class Lane implements Executor {
    private final Executor executor;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final @Nullable LaneStatistics statistics;
    private boolean scheduled;

    /** Runs on the given executor. */
    public Lane(Executor executor) {
        this(executor, null);
    }

    /**
     * Runs on the given executor.
     *
     * @param statistics told what it does; null for none
     */
    public Lane(Executor executor, @Nullable LaneStatistics statistics) {
        this.executor = executor;
        this.statistics = statistics;
    }

    @Override
    public void execute(Runnable task) {
        synchronized (waiting) {
            waiting.add(task);
            if (statistics != null) {
                statistics.added(waiting.size());
            }
            if (scheduled) {
                return;
            }
            scheduled(true);
        }
        schedule();
    }

    private void runOne() {
        Runnable task;
        synchronized (waiting) {
            task = waiting.remove();
            if (statistics != null) {
                statistics.removed(1);
            }
        }
        try {
            task.run();
        } finally {
            boolean more;
            synchronized (waiting) {
                if (statistics != null) {
                    statistics.ended();
                }
                more = !waiting.isEmpty();
                scheduled(more);
            }
            if (more) {
                schedule();
            }
        }
    }

    private void schedule() {
        try {
            executor.execute(this::runOne);
        } catch (RejectedExecutionException e) {
            // the executor is shut down: the process is closing, and nothing of this lane matters any more
            synchronized (waiting) {
                if (statistics != null) {
                    statistics.removed(waiting.size());
                }
                waiting.clear();
                scheduled(false);
            }
        }
    }

    private void scheduled(boolean now) {
        if (statistics != null && scheduled != now) {
            statistics.active(now);
        }
        scheduled = now;
    }
}
