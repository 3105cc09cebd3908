package io.ostraka.api;

/** Thrown if the program of a {@link ScriptJob} has failed, or was killed because its run was cancelled. */
public final class ScriptFailedException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /** The output stands indented in the message, so that none of its lines looks like a line of the log. */
    private static final int INDENT = 4;

    private final int exitCode;
    private final String output;

    /**
     * Creates an exception.
     *
     * @param description description of how the program ended
     * @param exitCode exit code of the program
     * @param output last part of the program's standard output and standard error
     */
    public ScriptFailedException(String description, int exitCode, String output) {
        super(
                output.isEmpty()
                        ? description + "; it wrote no output"
                        : description + "; the end of its output:\n"
                                + output.indent(INDENT).stripTrailing(),
                null);
        this.exitCode = exitCode;
        this.output = output;
    }

    /** Returns the program's exit code. If a signal ended the program, the code is 128 plus the signal's number. */
    public int exitCode() {
        return exitCode;
    }

    /** Returns the last 4 KiB of the program's standard output and standard error, combined. */
    public String output() {
        return output;
    }
}
