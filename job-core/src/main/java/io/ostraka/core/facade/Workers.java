package io.ostraka.core.facade;

import io.ostraka.core.meter.Load;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what runs on the threads for users' code. Thread-safe; reading it holds up none of them. */
final class Workers implements Executor {
    private final Executor threads;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger largest = new AtomicInteger();
    private final AtomicLong completed = new AtomicLong();

    Workers(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        threads.execute(() -> {
            int now = active.incrementAndGet();
            largest.accumulateAndGet(now, Math::max);
            try {
                task.run();
            } finally {
                active.decrementAndGet();
                completed.incrementAndGet();
            }
        });
    }

    Load.Workers load() {
        return new Load.Workers(active.get(), largest.get(), completed.get());
    }
}
