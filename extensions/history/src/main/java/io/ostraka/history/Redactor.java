package io.ostraka.history;

import org.jspecify.annotations.Nullable;

/**
 * Removes personal or secret data from texts before the history stores them. A history calls its redactor on one thread
 * at a time: on the thread that stores the rows of events, and on threads that execute audited commands. The end of a
 * run does not wait for it. If a redactor throws an exception, the history stores a note in place of the text.
 */
@FunctionalInterface
public interface Redactor {
    /** Kinds of texts. */
    enum Kind {
        /** The description of a failure, or the text of an alarm, which may contain one. */
        ERROR,
        /** The value of a trigger's parameter. */
        PARAMETER,
        /**
         * The reason that a person gave for a command or a trigger, or the outcome of a command, which may quote the
         * reason of another one.
         */
        REASON
    }

    /**
     * Returns the text that the history stores.
     *
     * @param job name of the job; null if the command or the alarm concerns no job
     * @param kind kind of the text
     * @param name name of the parameter; for other kinds empty
     * @param text the text
     */
    String redact(@Nullable String job, Kind kind, String name, String text);
}
