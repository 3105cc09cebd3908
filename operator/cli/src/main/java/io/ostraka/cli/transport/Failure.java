package io.ostraka.cli.transport;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;

/** Thrown if a request does not succeed. The message is for people and contains no secret. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;
    private final transient JsonElement problem;

    public Failure(ExitCode exitCode, String message) {
        this(exitCode, message, JsonNull.INSTANCE);
    }

    /** @param problem the problem document of the API; JSON null if there is none */
    public Failure(ExitCode exitCode, String message, JsonElement problem) {
        super(message);
        this.exitCode = exitCode;
        this.problem = problem;
    }

    public static Failure usage(String message) {
        return new Failure(ExitCode.USAGE, message);
    }

    public ExitCode exitCode() {
        return exitCode;
    }

    public JsonElement problem() {
        return problem;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
