package io.ostraka.core.placement;

/** Hashes that are equal in every process and version, for stable placement. */
final class Hashing {
    private Hashing() {}

    /** Returns a 64-bit hash of a text: FNV-1a over its characters, then mixed. */
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
