package io.ostraka.api;

/** A {@link ScriptJob}'s program has failed, or was killed because its run was to end. */
public final class ScriptFailedException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String output;

    /**
     * Tells how it ended.
     *
     * @param what what happened
     * @param output the end of what it had written
     */
    public ScriptFailedException(String what, int exitCode, String output) {
        super(
                output.isEmpty() ? what + "; it has written nothing" : what + "; the end of its output:\n" + output,
                null);
        this.exitCode = exitCode;
        this.output = output;
    }

    /** Returns its exit code; of a program that a signal has ended, 128 and the signal's number. */
    public int exitCode() {
        return exitCode;
    }

    /** Returns the last 4 KiB, at most, of what it had written to its standard output and error, together. */
    public String output() {
        return output;
    }
}
