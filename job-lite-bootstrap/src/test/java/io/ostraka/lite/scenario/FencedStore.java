package io.ostraka.lite.scenario;

/** Where runs of one item write to: it refuses whoever's token is smaller than one that it has seen. Thread-safe. */
final class FencedStore {
    private long largest;

    /** Returns whether the write was taken. */
    synchronized boolean write(long token) {
        if (token < largest) {
            return false;
        }
        largest = token;
        return true;
    }
}
