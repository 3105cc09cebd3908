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

/** Records the reports of a store, in order, for tests. Thread-safe. */
public final class RecordingListener implements NodeStore.Listener {
    private static final long LIMIT_SECONDS = 60;

    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> reasons = new LinkedBlockingQueue<>();
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
    public void hindered(String why) {
        reasons.add(why);
    }

    @Override
    public void limited(@Nullable String what) {
        limits.add(what == null ? "" : what);
    }

    /**
     * Returns the reported size limits, oldest first. An empty string means that the store reported the end of a limit.
     * The other methods do not return these reports.
     */
    public List<String> limits() {
        return limits;
    }

    /** Adds a description to the reports. */
    void note(String what) {
        told.add(what);
    }

    /** Returns the number of the latest session; 0 before the first. */
    public long session() {
        return session;
    }

    Duration sessionTimeout() {
        return sessionTimeout;
    }

    /**
     * Waits for the next report, for at most a minute.
     *
     * @throws AssertionError if no report arrives within this time
     */
    public String next() {
        return next(told);
    }

    /**
     * Waits for the next reason why ZooKeeper cannot be used, for at most a minute. The other methods do not return the
     * reasons.
     *
     * @throws AssertionError if no reason is reported within this time
     */
    public String nextReason() {
        return next(reasons);
    }

    private static String next(LinkedBlockingQueue<String> reports) {
        try {
            String next = reports.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no report within " + LIMIT_SECONDS + " s");
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError("Interrupted while waiting for a report", e);
        }
    }

    /** Waits for a report that begins with the given text, and returns it. Skips other reports. */
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
            throw new AssertionError("no report '" + beginning + "…'; there were " + before, e);
        }
    }

    /** Returns and removes the reports that no other method has returned yet. */
    public List<String> rest() {
        var rest = new ArrayList<String>();
        told.drainTo(rest);
        return rest;
    }
}
