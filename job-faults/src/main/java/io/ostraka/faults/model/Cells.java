package io.ostraka.faults.model;

import java.util.Arrays;

/** A state packed into a few longs, written or read cell by cell: one method lays a state both ways. */
final class Cells {
    private static final int MOST_WORDS = 16;

    private final long[] words;
    private boolean reading;
    private int word;
    private int bit;

    private Cells(int size) {
        words = new long[size];
    }

    /** Makes cells that hold every state of a model, given one of them. */
    static Cells fitting(World world) {
        Cells wide = new Cells(MOST_WORDS);
        wide.take(world);
        return new Cells(wide.word + 1);
    }

    /** How many longs a state takes. */
    int size() {
        return words.length;
    }

    /** The packed state: written over by the next one. */
    long[] words() {
        return words;
    }

    /** Takes a state in. */
    void take(World world) {
        Arrays.fill(words, 0);
        rewind(false);
        world.lay(this);
    }

    /** Gives the state out. */
    void give(World world) {
        rewind(true);
        world.lay(this);
        world.violation = null;
    }

    private void rewind(boolean toRead) {
        reading = toRead;
        word = 0;
        bit = 0;
    }

    /** Returns what the cell holds: {@code value}, or what was written there. It is one of {@code 0..values-1}. */
    int number(int value, int values) {
        int width = Integer.SIZE - Integer.numberOfLeadingZeros(values - 1);
        if (bit + width > Long.SIZE) {
            word++;
            bit = 0;
        }
        int result = value;
        if (reading) {
            result = (int) (words[word] >>> bit) & ((1 << width) - 1);
        } else {
            if (value < 0 || value >= values) {
                throw new IllegalStateException("a cell of " + values + " values can't hold " + value);
            }
            words[word] |= (long) value << bit;
        }
        bit += width;
        return result;
    }

    /** The same for yes and no. */
    boolean flag(boolean value) {
        return number(value ? 1 : 0, 2) == 1;
    }

    /** The same for one of a few constants. */
    <E extends Enum<E>> E one(E value, E[] all) {
        return all[number(value.ordinal(), all.length)];
    }
}
