package io.ostraka.core.placement;

/**
 * Hash functions for placement. Their results never change, not even between versions of this library, so items do not
 * move after an update.
 */
final class Hashing {
    private Hashing() {}

    /** Returns a 64-bit hash of a string: FNV-1a over its characters, followed by {@link #mix}. */
    static long of(String text) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return mix(hash);
    }

    /** Mixes all bits of a number, with the finalizer of MurmurHash3. */
    static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
