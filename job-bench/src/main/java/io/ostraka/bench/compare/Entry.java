package io.ostraka.bench.compare;

/**
 * Something that a run has told.
 *
 * @param worker name of its process
 * @param fire in milliseconds since 1970; where the scheduler doesn't tell its code, the latest when the run began
 * @param token 0 if the scheduler has none
 * @param nanos when, by {@link System#nanoTime}, which is one clock for all processes of a host
 */
record Entry(String worker, Kind kind, String job, int item, long fire, long token, long nanos) {
    /** What a run tells of. */
    enum Kind {
        /** It begins, and fences: a store that hears of it refuses smaller tokens from then on. */
        START,
        /** It has done a part of its work. */
        EFFECT,
        /** An effect or the beginning was refused: another run of the item has fenced. */
        REFUSED,
        /** It has been told to end early. */
        CANCELLED,
        /** It has done all of its work. */
        END
    }

    boolean is(Kind wanted, String ofJob) {
        return kind == wanted && job.equals(ofJob);
    }

    Entry as(Kind other) {
        return new Entry(worker, other, job, item, fire, token, nanos);
    }

    /** The item, and whose. */
    String key() {
        return job + "/" + item;
    }
}
