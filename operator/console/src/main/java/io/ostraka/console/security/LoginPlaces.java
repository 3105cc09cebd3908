package io.ostraka.console.security;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Limits the passwords that are verified at the same time, because each one keeps a processor busy for a while. Further
 * logins wait, in the order in which they came, since a verification always ends soon. The logins of one network have a
 * share of the places, so that they delay each other more than the logins of other networks. Thread-safe.
 */
final class LoginPlaces {
    /** Largest number of passwords that are verified at the same time. */
    static final int AT_ONCE = 4;
    /** Largest number of passwords from one network that are verified at the same time. */
    static final int OF_NETWORK = 2;
    /** Largest number of logins from one network that are verified or wait. */
    static final int MOST_OF_NETWORK = 8;
    /** Largest number of logins that are verified or wait. Each one that waits keeps a thread. */
    static final int MOST = 12;

    private final Semaphore all = new Semaphore(AT_ONCE, true);
    /** Networks with a login that is verified or waits. Guarded by this. */
    private final Map<String, Share> shares = new HashMap<>();

    /** The logins of one network. */
    private static final class Share {
        final Semaphore places = new Semaphore(OF_NETWORK, true);
        int logins;
    }

    /**
     * Runs a verification, after those that came before it.
     *
     * @param client address of the client
     * @throws io.ostraka.console.Problem if too many logins wait
     */
    <T> T verify(String client, Supplier<T> verification) {
        String network = Networks.of(client);
        Share share = enter(network);
        try {
            share.places.acquireUninterruptibly();
            try {
                all.acquireUninterruptibly();
                try {
                    return verification.get();
                } finally {
                    all.release();
                }
            } finally {
                share.places.release();
            }
        } finally {
            leave(network, share);
        }
    }

    private synchronized Share enter(String network) {
        Share share = shares.computeIfAbsent(network, each -> new Share());
        int logins = shares.values().stream().mapToInt(each -> each.logins).sum();
        if (share.logins == MOST_OF_NETWORK || logins == MOST) {
            throw LoginLimit.refused(1);
        }
        share.logins++;
        return share;
    }

    private synchronized void leave(String network, Share share) {
        if (--share.logins == 0) {
            shares.remove(network);
        }
    }
}
