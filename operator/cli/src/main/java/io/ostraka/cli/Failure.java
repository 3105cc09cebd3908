package io.ostraka.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;

/** Thrown if a request does not succeed. The message is for people and contains no secret. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;
    private final transient JsonElement problem;

    Failure(ExitCode exitCode, String message) {
        this(exitCode, message, JsonNull.INSTANCE);
    }

    /** @param problem the problem document of the API; JSON null if there is none */
    Failure(ExitCode exitCode, String message, JsonElement problem) {
        super(message);
        this.exitCode = exitCode;
        this.problem = problem;
    }

    static Failure usage(String message) {
        return new Failure(ExitCode.USAGE, message);
    }

    ExitCode exitCode() {
        return exitCode;
    }

    JsonElement problem() {
        return problem;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
