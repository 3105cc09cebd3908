package io.ostraka.console;

import java.util.HashSet;
import java.util.Set;

/**
 * Bounds the memory of request bodies. A body above {@link #SMALL} is read only after the caller was authenticated, and
 * only {@link #AT_ONCE} such bodies, each of another caller, are in memory at the same time. Thread-safe.
 */
public final class LargeBodies {
    /** Largest body of a request whose caller is not known yet, in bytes. */
    public static final int SMALL = 4 << 10;
    /** Largest number of requests with a large body. The values of one such body can take 50 MiB. */
    public static final int AT_ONCE = 2;

    /** Callers that have a place. Guarded by this. */
    private final Set<String> callers = new HashSet<>();

    /**
     * Checks the size of a body.
     *
     * @param size bytes that have arrived, or that the client has announced
     * @return whether the body is large, so that it needs a place
     * @throws Problem if the body is larger than accepted
     */
    public static boolean isLarge(long size) {
        if (size > Request.LARGEST_BODY) {
            throw tooLarge(Request.LARGEST_BODY);
        }
        return size > SMALL;
    }

    /** Returns the problem of a body that is larger than accepted. */
    public static Problem tooLarge(int accepted) {
        return new Problem(
                Problem.Code.TOO_LARGE, "the body has more than " + accepted + " bytes, the largest accepted size");
    }

    /**
     * Takes a place for a request with a large body, until {@link #leave}. Returns false if all places are taken, or if the
     * caller has one already, so that a caller whose bodies never arrive does not keep the others out.
     *
     * @param caller name of the caller
     */
    public synchronized boolean enter(String caller) {
        return callers.size() < AT_ONCE && callers.add(caller);
    }

    /** Returns the problem of a request that has found no place. */
    public static Problem full() {
        return new Problem(
                        Problem.Code.UNAVAILABLE,
                        "the console has too many requests with large bodies at the moment; nothing was done, so repeat"
                                + " the request later")
                .header("Retry-After", "1");
    }

    /** Releases the place of a request, when its body is no longer needed. */
    public synchronized void leave(String caller) {
        callers.remove(caller);
    }
}
