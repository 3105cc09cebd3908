package io.ostraka.cli.transport;

import java.util.Comparator;
import java.util.stream.Stream;

/** Exit codes of the program. {@code ostraka --help} lists them. */
public enum ExitCode {
    /** The request succeeded. */
    OK(0, "the request succeeded"),
    /** The request failed for another reason, or doctor has found an error. */
    FAILED(1, "the request failed for another reason, or doctor found an error"),
    /** The command line is not accepted, or a confirmation is missing. */
    USAGE(2, "the command line or a value is not accepted, or a confirmation is missing; nothing was changed"),
    /** The namespace, job, item, run or instance does not exist. */
    NOT_FOUND(3, "the namespace, job, item, run or instance does not exist"),
    /** The caller is unknown or has no role for the operation. */
    NOT_ALLOWED(4, "the token is not accepted, or its roles do not permit the operation"),
    /** The state does not permit the command, or the version is not the expected one. */
    CONFLICT(5, "the state does not permit the command, or the version has changed; nothing was changed"),
    /** The server or ZooKeeper does not answer. */
    UNREACHABLE(6, "the server or ZooKeeper does not answer; nothing was changed"),
    /** The command may or may not have been applied, or a wait has ended before its run. */
    OUTCOME_UNKNOWN(
            7,
            "the command may have been applied; repeat it with the request id that the message names. Or a run had not"
                    + " ended when the wait did"),
    /** The run that the program has waited for did not succeed. */
    RUN_FAILED(10, "the run that the program waited for did not succeed");

    private final int code;
    private final String meaning;

    ExitCode(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    public int code() {
        return code;
    }

    public String meaning() {
        return meaning;
    }

    /** Returns the exit code of several requests: the highest of their codes. */
    public static ExitCode worst(Stream<ExitCode> codes) {
        return codes.max(Comparator.comparing(ExitCode::code)).orElse(OK);
    }
}
