package io.ostraka.faults.ensemble;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/** A server's transaction log whose flushes can be slowed down. */
final class SlowDisk extends FileTxnSnapLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Duration perFlush = Duration.ZERO;

    /** Opens the same directories as another log. */
    SlowDisk(FileTxnSnapLog like) throws IOException {
        super(like.getDataLogDir().getParentFile(), like.getSnapDir().getParentFile());
    }

    /** Sets the additional time of each flush from now on, including a flush that is under way. */
    void slow(Duration longer) {
        lock.lock();
        try {
            perFlush = longer;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void commit() throws IOException {
        long begun = System.nanoTime();
        lock.lock();
        try {
            long left = perFlush.toNanos();
            while (left > 0) {
                changed.awaitNanos(left);
                left = perFlush.toNanos() - (System.nanoTime() - begun);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the server ends, but the flush is still executed
        } finally {
            lock.unlock();
        }
        super.commit();
    }
}
