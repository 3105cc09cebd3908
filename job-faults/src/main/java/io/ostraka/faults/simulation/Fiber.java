package io.ostraka.faults.simulation;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Code that may pause while everything else goes on: a thread that runs only when it is given the turn, and gives it
 * back when it pauses or ends. So there are many threads and never two that run.
 */
final class Fiber {
    /** Ends the code of a process that is killed, wherever it pauses. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1;

        Killed() {
            super("killed", null, false, false);
        }
    }

    private static final ThreadLocal<Fiber> CURRENT = new ThreadLocal<>();

    private final Semaphore turn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private volatile boolean over;
    private volatile boolean killed;
    private volatile @Nullable Throwable failure;

    /** Prepares code on one of these threads; it begins with the first turn. */
    Fiber(Executor threads, Runnable code) {
        threads.execute(() -> {
            CURRENT.set(this);
            turn.acquireUninterruptibly();
            try {
                if (!killed) {
                    code.run();
                }
            } catch (Killed e) { // its process is gone
                over = true;
            } catch (Throwable e) { // comes out where the turn was given
                failure = e;
            } finally {
                over = true;
                CURRENT.remove();
                Thread.interrupted();
                back.release();
            }
        });
    }

    /** Returns the code that runs on this thread; null if it is none that may pause. */
    static @Nullable Fiber current() {
        return CURRENT.get();
    }

    /** Lets the code go on until it pauses or ends. */
    void go() {
        if (over) {
            return;
        }
        turn.release();
        back.acquireUninterruptibly();
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("code failed outside of what the engine catches", thrown);
        }
    }

    /** Gives the turn back until {@link #go} is called again. On the code's own thread. */
    void pause() {
        back.release();
        turn.acquireUninterruptibly();
        if (killed) {
            throw new Killed();
        }
    }

    /** Ends the code where it pauses. */
    void kill() {
        if (!over && !killed) {
            killed = true;
            go();
        }
    }
}
