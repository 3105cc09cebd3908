package io.ostraka.faults.simulation;

import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Code that can pause while other code continues. It runs on a thread of its own from each call of {@link #go} until it
 * pauses or ends. Of all these threads, only one runs at a time.
 */
final class Fiber {
    /** Thrown into the paused code of a killed process, to end the code. */
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

    /** Prepares code on one of the given threads. The code begins with the first call of {@link #go}. */
    Fiber(Executor threads, Runnable code) {
        threads.execute(() -> {
            CURRENT.set(this);
            turn.acquireUninterruptibly();
            try {
                if (!killed) {
                    code.run();
                }
            } catch (Killed e) { // the process of this code was killed
                over = true;
            } catch (Throwable e) { // go() throws it again
                failure = e;
            } finally {
                over = true;
                CURRENT.remove();
                Thread.interrupted();
                back.release();
            }
        });
    }

    /** Returns the fiber that runs on this thread; null if there is none, in which case the code cannot pause. */
    static @Nullable Fiber current() {
        return CURRENT.get();
    }

    /** Runs the code until it pauses or ends. */
    void go() {
        if (over) {
            return;
        }
        turn.release();
        back.acquireUninterruptibly();
        Throwable thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("code failed where the engine does not catch exceptions", thrown);
        }
    }

    /** Pauses the code, and waits for the next call of {@link #go}. Must be called on the code's own thread. */
    void pause() {
        if (killed) { // the code has caught an earlier Killed; nothing would end another pause
            throw new Killed();
        }
        back.release();
        turn.acquireUninterruptibly();
        if (killed) {
            throw new Killed();
        }
    }

    /** Ends paused code by throwing {@link Killed} at its pause. */
    void kill() {
        if (!over && !killed) {
            killed = true;
            go();
        }
    }
}
