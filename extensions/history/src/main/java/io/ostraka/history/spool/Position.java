package io.ostraka.history.spool;

/**
 * A position in a spool, such as the position up to which the database has all rows.
 *
 * @param segment number of the segment, from 1
 * @param offset number of bytes of the segment before this position
 */
public record Position(long segment, long offset) implements Comparable<Position> {
    /** The beginning of every spool. */
    public static final Position START = new Position(1, 0);

    /** Checks the values. */
    public Position {
        if (segment < 1 || offset < 0) {
            throw new IllegalArgumentException("position is " + segment + ":" + offset + "; accepted: 1:0 and later");
        }
    }

    @Override
    public int compareTo(Position other) {
        return segment != other.segment ? Long.compare(segment, other.segment) : Long.compare(offset, other.offset);
    }
}
