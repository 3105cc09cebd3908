package io.ostraka.zk;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stands for leader with Curator's LeaderLatch, over all sessions. Used on the store's thread alone. */
final class Candidacy {
    private static final Logger log = LoggerFactory.getLogger(Candidacy.class);

    private final CuratorFramework client;
    private final String path;
    private final String id;
    private final Executor thread;
    private final Consumer<Optional<String>> leadership;
    private @Nullable LeaderLatch latch;
    private boolean withoutNode;

    /**
     * Stands.
     *
     * @param thread the store's
     * @param leadership told there the path of the own node when it leads, empty when it doesn't any more
     */
    Candidacy(CuratorFramework client, String path, String id, Executor thread, Consumer<Optional<String>> leadership) {
        this.client = client;
        this.path = path;
        this.id = id;
        this.thread = thread;
        this.leadership = leadership;
        join();
    }

    private void join() {
        var joined = new LeaderLatch(client, path, id, LeaderLatch.CloseMode.SILENT);
        latch = joined;
        withoutNode = false;
        joined.addListener(
                new LeaderLatchListener() {
                    @Override
                    public void isLeader() {
                        report(joined, Optional.ofNullable(joined.getLastPathIsLeader()));
                    }

                    @Override
                    public void notLeader() {
                        report(joined, Optional.empty());
                    }
                },
                thread);
        try {
            joined.start();
        } catch (Exception e) { // LeaderLatch declares no more than that
            log.warn("Cannot stand for leader at {}; trying again", path, e);
        }
    }

    private void report(LeaderLatch from, Optional<String> candidate) {
        if (from == latch) {
            leadership.accept(candidate);
        }
    }

    /**
     * To be called now and then while connected: LeaderLatch only logs that its node could not be created, so who finds
     * it without a node twice has it start over.
     */
    void check() {
        LeaderLatch standing = latch;
        if (standing == null || standing.getOurPath() != null) {
            withoutNode = false;
        } else if (!withoutNode) {
            withoutNode = true;
        } else {
            log.warn(
                    "The candidate's node at {} could not be created; trying again. Check that its parent exists and that"
                            + " we may write there",
                    path);
            boolean led = standing.hasLeadership();
            close();
            if (led) {
                leadership.accept(Optional.empty());
            }
            join();
        }
    }

    /** Gives the place up; nothing is told any more. */
    void close() {
        LeaderLatch standing = latch;
        latch = null;
        if (standing == null || standing.getState() != LeaderLatch.State.STARTED) {
            return;
        }
        try {
            standing.close();
        } catch (Exception e) { // IOException around whatever a closing client throws
            log.debug("Cannot leave the election at {} in order; the session's end does it", path, e);
        }
    }
}
