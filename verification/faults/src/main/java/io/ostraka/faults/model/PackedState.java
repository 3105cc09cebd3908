package io.ostraka.faults.model;

import java.util.Arrays;

/**
 * The state of a model, packed into a few longs. The same method, {@link World#lay}, writes and reads the cells, so
 * that their order is always the same.
 */
final class PackedState {
    private static final int MOST_WORDS = 16;

    private final long[] words;
    private boolean reading;
    private int word;
    private int bit;

    private PackedState(int size) {
        words = new long[size];
    }

    /** Creates cells that are wide enough for every state of the model of {@code world}. */
    static PackedState fitting(World world) {
        PackedState wide = new PackedState(MOST_WORDS);
        wide.take(world);
        return new PackedState(wide.word + 1);
    }

    /** Returns the number of longs in a packed state. */
    int size() {
        return words.length;
    }

    /** Returns the packed state. The next {@link #take} overwrites it. */
    long[] words() {
        return words;
    }

    /** Packs a state. */
    void take(World world) {
        Arrays.fill(words, 0);
        rewind(false);
        world.lay(this);
    }

    /** Unpacks the state into {@code world}. */
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

    /**
     * Writes a number from 0 to {@code values - 1}, or reads the number that was written. Returns the number in the
     * cell.
     */
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
                throw new IllegalStateException("a cell of " + values + " values cannot store " + value);
            }
            words[word] |= (long) value << bit;
        }
        bit += width;
        return result;
    }

    /** Writes or reads a boolean, like {@link #number}. */
    boolean flag(boolean value) {
        return number(value ? 1 : 0, 2) == 1;
    }

    /** Writes or reads an enum constant, like {@link #number}. */
    <E extends Enum<E>> E one(E value, E[] all) {
        return all[number(value.ordinal(), all.length)];
    }
}
