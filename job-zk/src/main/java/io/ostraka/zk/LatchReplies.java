package io.ostraka.zk;

import java.util.concurrent.Executor;

/**
 * Withholds from LeaderLatch the replies to its requests after the candidacy has ended. LeaderLatch handles such
 * replies: it misses its deleted node and creates another one, and on a closed client it fails. Curator logs both as
 * errors. Thread-safe.
 */
final class LatchReplies {
    private int candidacies;
    private boolean stopped;

    /** Returns what handles the reply to a read that LeaderLatch sends now. */
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

    /** Handles the reply to a creation, after which LeaderLatch deletes the node if it has been closed. */
    synchronized void ofCreation(Runnable reply) {
        if (!stopped) {
            reply.run();
        }
    }

    /** Ends a candidacy. No reply to a read of it is handled meanwhile or later. */
    synchronized void endCandidacy(Runnable closing) {
        candidacies++;
        closing.run();
    }

    /** Withholds all further replies. Afterwards the client can be closed. */
    synchronized void stop() {
        stopped = true;
    }
}
