package io.ostraka.testkit;

import io.ostraka.core.tree.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Writes down what a store tells, for a test to take it in order. Thread-safe. */
public final class RecordingListener implements NodeStore.Listener {
    private static final long LIMIT_SECONDS = 60;

    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final List<String> limits = new CopyOnWriteArrayList<>();
    private volatile long session;
    private volatile Duration sessionTimeout = Duration.ZERO;

    @Override
    public void connected(long sessionId, Duration timeout) {
        session = sessionId;
        sessionTimeout = timeout;
        told.add("connected");
    }

    @Override
    public void suspended() {
        told.add("suspended");
    }

    @Override
    public void lost() {
        told.add("lost");
    }

    @Override
    public void changed(String path, boolean deleted) {
        told.add("changed " + path);
    }

    @Override
    public void leadership(Optional<String> candidate) {
        told.add(candidate.map(path -> "leads as " + path).orElse("doesn't lead"));
    }

    @Override
    public void limited(@Nullable String what) {
        limits.add(what == null ? "" : what);
    }

    /** Returns what the servers didn't take, oldest first; empty text for the end of it. It is not among the reports. */
    public List<String> limits() {
        return limits;
    }

    /** Puts something else among the reports. */
    void note(String what) {
        told.add(what);
    }

    /** Returns the latest session; 0 before the first. */
    public long session() {
        return session;
    }

    Duration sessionTimeout() {
        return sessionTimeout;
    }

    /**
     * Waits for the next report, at most a minute.
     *
     * @throws AssertionError when none comes
     */
    public String next() {
        try {
            String next = told.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("Nothing was told for " + LIMIT_SECONDS + " s");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError("Interrupted while waiting for a report", e);
        }
    }

    /** Waits for a report that begins so, and returns it; what is told before is passed over. */
    String await(String beginning) {
        var before = new ArrayList<String>();
        try {
            for (String next = next(); ; next = next()) {
                if (next.startsWith(beginning)) {
                    return next;
                }
                before.add(next);
            }
        } catch (AssertionError e) {
            throw new AssertionError("Waited for '" + beginning + "', but was told " + before, e);
        }
    }

    /** Takes what has been told and not taken. */
    public List<String> rest() {
        var rest = new ArrayList<String>();
        told.drainTo(rest);
        return rest;
    }
}
