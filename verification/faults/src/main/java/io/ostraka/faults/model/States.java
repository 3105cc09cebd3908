package io.ostraka.faults.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The set of states found so far, in packed form. States are numbered in the order of their discovery, and each state
 * has a link to its predecessor.
 */
final class States {
    private static final int CHUNK_BITS = 14;
    private static final int CHUNK = 1 << CHUNK_BITS;
    private static final int NONE = -1;

    private final int words;
    private final List<long[]> packed = new ArrayList<>();
    private final List<int[]> parents = new ArrayList<>();
    private int[] slots = new int[1 << 16];
    private int size;

    States(int words) {
        this.words = words;
        Arrays.fill(slots, NONE);
    }

    int size() {
        return size;
    }

    /** Adds a state with its predecessor and the next number. Returns whether the state is new. */
    boolean add(long[] state, int parent) {
        int slot = slot(state);
        if (slots[slot] != NONE) {
            return false;
        }
        if ((size & (CHUNK - 1)) == 0) {
            packed.add(new long[CHUNK * words]);
            parents.add(new int[CHUNK]);
        }
        int chunk = size >>> CHUNK_BITS;
        System.arraycopy(state, 0, packed.get(chunk), offset(size), words);
        parents.get(chunk)[size & (CHUNK - 1)] = parent;
        slots[slot] = size++;
        if (size > slots.length / 4 * 3) {
            grow();
        }
        return true;
    }

    /** Returns the number of a state, or -1 if it is not in the set. */
    int number(long[] state) {
        return slots[slot(state)];
    }

    /** Copies a packed state into {@code into}. */
    void read(int number, long[] into) {
        System.arraycopy(packed.get(number >>> CHUNK_BITS), offset(number), into, 0, words);
    }

    /** Returns the number of the predecessor, or -1 for the first state. */
    int parent(int number) {
        return parents.get(number >>> CHUNK_BITS)[number & (CHUNK - 1)];
    }

    private int offset(int number) {
        return (number & (CHUNK - 1)) * words;
    }

    private int slot(long[] state) {
        int mask = slots.length - 1;
        int slot = hash(state) & mask;
        while (slots[slot] != NONE && !is(slots[slot], state)) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private boolean is(int number, long[] state) {
        long[] chunk = packed.get(number >>> CHUNK_BITS);
        int from = offset(number);
        return Arrays.equals(chunk, from, from + words, state, 0, words);
    }

    private static int hash(long[] state) {
        long hash = 0;
        for (long word : state) {
            hash = (hash ^ word) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 32;
        }
        return (int) (hash ^ (hash >>> 17));
    }

    private void grow() {
        slots = new int[slots.length * 2];
        Arrays.fill(slots, NONE);
        long[] state = new long[words];
        for (int number = 0; number < size; number++) {
            read(number, state);
            slots[slot(state)] = number;
        }
    }
}
