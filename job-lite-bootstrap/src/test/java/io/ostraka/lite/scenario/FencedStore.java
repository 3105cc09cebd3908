package io.ostraka.lite.scenario;

/** Target of the writes of one item; refuses a token that is smaller than one it has seen. Thread-safe. */
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
