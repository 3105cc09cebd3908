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

/**
 * The candidacy of this process in the leader election. Curator's LeaderLatch implements the election. The candidacy
 * continues across sessions. Used only on the store's thread.
 */
final class Candidacy {
    private static final Logger log = LoggerFactory.getLogger(Candidacy.class);

    private final CuratorFramework client;
    private final LatchReplies replies;
    private final String path;
    private final String id;
    private final Executor thread;
    private final Consumer<Optional<String>> leadership;
    private @Nullable LeaderLatch latch;
    private boolean withoutNode;

    /**
     * Joins the election.
     *
     * @param replies receives the replies to the requests of LeaderLatch
     * @param thread the store's thread
     * @param leadership receives the path of the candidate's node when this process becomes the leader, and empty when
     *     it stops being the leader; called on the store's thread
     */
    Candidacy(
            CuratorFramework client,
            LatchReplies replies,
            String path,
            String id,
            Executor thread,
            Consumer<Optional<String>> leadership) {
        this.client = client;
        this.replies = replies;
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
        } catch (Exception e) { // the exception type that LeaderLatch declares
            log.warn(
                    "cannot join the leader election at {}; the store tries again. Check ZooKeeper if this repeats",
                    path,
                    e);
        }
    }

    private void report(LeaderLatch from, Optional<String> candidate) {
        if (from == latch) {
            leadership.accept(candidate);
        }
    }

    /**
     * Joins the election again if the candidate's node is missing in two successive checks. LeaderLatch itself only
     * logs that it could not create the node. Called periodically while connected.
     */
    void check() {
        LeaderLatch joined = latch;
        if (joined == null || joined.getOurPath() != null) {
            withoutNode = false;
        } else if (!withoutNode) {
            withoutNode = true;
        } else {
            log.warn(
                    "the candidate's node at {} could not be created; the store tries again. Check that its parent exists and"
                            + " that this process may write there",
                    path);
            boolean led = joined.hasLeadership();
            close();
            if (led) {
                leadership.accept(Optional.empty());
            }
            join();
        }
    }

    /** Leaves the election; {@code leadership} receives no further call. */
    void close() {
        LeaderLatch joined = latch;
        latch = null;
        if (joined == null || joined.getState() != LeaderLatch.State.STARTED) {
            return;
        }
        replies.endCandidacy(() -> close(joined));
    }

    private void close(LeaderLatch joined) {
        try {
            joined.close();
        } catch (Exception e) { // a closing client may throw any exception; LeaderLatch wraps it in an IOException
            log.debug("cannot leave the leader election at {}; the candidacy ends with the session", path, e);
        }
    }
}
