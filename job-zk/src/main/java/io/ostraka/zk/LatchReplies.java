package io.ostraka.zk;

import java.util.concurrent.Executor;

/**
 * Passes ZooKeeper's replies on to Curator's LeaderLatch, but discards the replies that arrive after the candidacy has
 * ended. LeaderLatch would act on them: it would find its node deleted and create another one, or fail because its
 * client is closed. Curator logs both as errors. Thread-safe.
 */
final class LatchReplies {
    private int candidacies;
    private boolean stopped;

    /**
     * Returns an executor for the reply to a read that LeaderLatch sends now. It discards the reply if the candidacy
     * has ended meanwhile.
     */
    synchronized Executor ofRead() {
        int asked = candidacies;
        return reply -> {
            synchronized (this) {
                if (asked == candidacies && !stopped) {
                    reply.run();
                }
            }
        };
    }

    /**
     * Passes on the reply to a creation, even after the candidacy has ended, because a closed LeaderLatch then deletes
     * the node.
     */
    synchronized void ofCreation(Runnable reply) {
        if (!stopped) {
            reply.run();
        }
    }

    /**
     * Ends a candidacy by running {@code closing}. From its start on, the replies to the candidacy's reads are
     * discarded.
     */
    synchronized void endCandidacy(Runnable closing) {
        candidacies++;
        closing.run();
    }

    /** Discards all further replies, so that the client can be closed. */
    synchronized void stop() {
        stopped = true;
    }
}
