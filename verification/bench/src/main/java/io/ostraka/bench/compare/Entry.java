package io.ostraka.bench.compare;

/**
 * An event that a run of an item has reported.
 *
 * @param worker name of the process that executes the run
 * @param fire fire, in milliseconds since 1970. If the scheduler does not pass the fire, this is the latest fire before
 *     the run began
 * @param token fencing token; 0 if the scheduler has none
 * @param nanos time by {@link System#nanoTime}, which is one clock for all processes of a host
 */
record Entry(String worker, Kind kind, String job, int item, long fire, long token, long nanos) {
    /** Kinds of events. */
    enum Kind {
        /** The run begins and passes its token to the store. The store then refuses smaller tokens. */
        START,
        /** The run has done a part of its work. */
        EFFECT,
        /**
         * The store has refused the start or an effect of the run, because it knows the token of a newer run of the
         * item.
         */
        REFUSED,
        /** The run was cancelled. */
        CANCELLED,
        /** The run has done all of its work. */
        END
    }

    boolean is(Kind wanted, String ofJob) {
        return kind == wanted && job.equals(ofJob);
    }

    Entry as(Kind other) {
        return new Entry(worker, other, job, item, fire, token, nanos);
    }

    /** Returns the job and the item. */
    String key() {
        return job + "/" + item;
    }
}
