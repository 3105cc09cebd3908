package io.ostraka.lite.scenario;

/** A store to which the runs of one item write. It refuses a token that is smaller than an earlier one. Thread-safe. */
final class FencedStore {
    private long largest;

    /** Returns whether the write was accepted. */
    synchronized boolean write(long token) {
        if (token < largest) {
            return false;
        }
        largest = token;
        return true;
    }
}
