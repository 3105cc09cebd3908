package io.ostraka.cli.transport;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.terminal.Times;
import io.ostraka.console.Response;
import java.util.Optional;
import java.util.Set;

/** Interprets responses. A response may come from a program other than the console, such as a proxy. */
final class Responses {
    private static final Set<String> UNCLEAR = Set.of("OUTCOME_UNKNOWN", "INTERNAL_ERROR");
    private static final int LONGEST_TEXT = 2000;

    private Responses() {}

    /** Returns the answer of a successful request; empty if the response is something else. */
    static Optional<JsonObject> answer(Response response) {
        return Optional.ofNullable(response.status() == 200 ? Json.object(response.text()) : null);
    }

    /** Returns the failure that the console, or a proxy, reports; empty if the response names no cause. */
    static Optional<Failure> failure(Response response) {
        JsonObject json = response.status() >= 400 ? Json.object(response.text()) : null;
        if (json != null && json.has("code") && json.has("detail")) {
            return Optional.of(new Failure(
                    exitCode(text(json, "code"), response.status()),
                    Times.inSeconds(shortened(text(json, "detail"))),
                    json));
        }
        String answered = "the server answered with status " + response.status();
        return Optional.ofNullable(
                switch (response.status()) {
                    case 401, 403 ->
                        new Failure(
                                ExitCode.NOT_ALLOWED,
                                answered + "; check the token, and whether it permits the operation");
                    case 404 ->
                        new Failure(
                                ExitCode.NOT_FOUND,
                                answered + "; check that the address is the address of the console");
                    case 400, 405, 413, 415, 421, 429 -> new Failure(ExitCode.FAILED, answered);
                    default -> null;
                });
    }

    /** Returns whether a command may have been applied although the request failed. */
    static boolean mayHaveBeenApplied(Failure failure) {
        return failure.problem() instanceof JsonObject problem && UNCLEAR.contains(text(problem, "code"));
    }

    /** Returns a text, a number or a boolean as text; empty text if there is none. */
    static String text(JsonObject json, String name) {
        return json.get(name) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    /** Describes a response that is not an answer of the console. */
    static String unexpected(Response response) {
        if (response.status() >= 300 && response.status() < 400) {
            String location = response.headers().getOrDefault("location", "another address");
            return "the server sends requests to " + shortened(location)
                    + ", and this program does not follow, to keep the token; check the address in --server";
        }
        return "the answer with status " + response.status()
                + " is not an answer of the console, or it is not complete; check the address in --server, and try"
                + " again";
    }

    private static ExitCode exitCode(String code, int status) {
        return switch (code) {
            case "UNAUTHENTICATED", "FORBIDDEN" -> ExitCode.NOT_ALLOWED;
            case "NOT_FOUND" -> ExitCode.NOT_FOUND;
            case "REFUSED", "CONFLICT" -> ExitCode.CONFLICT;
            case "INVALID" -> ExitCode.USAGE;
            case "UNAVAILABLE" -> ExitCode.UNREACHABLE;
            case "OUTCOME_UNKNOWN" -> ExitCode.OUTCOME_UNKNOWN;
            case "BAD_REQUEST",
                    "METHOD_NOT_ALLOWED",
                    "TIMEOUT",
                    "TOO_LARGE",
                    "UNSUPPORTED_MEDIA_TYPE",
                    "MISDIRECTED",
                    "TOO_MANY_REQUESTS",
                    "INTERNAL_ERROR" -> ExitCode.FAILED;
            default -> ofStatus(status);
        };
    }

    /** Returns the exit code of a problem that this version does not know. */
    private static ExitCode ofStatus(int status) {
        return switch (status) {
            case 401, 403 -> ExitCode.NOT_ALLOWED;
            case 404 -> ExitCode.NOT_FOUND;
            case 409, 412 -> ExitCode.CONFLICT;
            case 503 -> ExitCode.UNREACHABLE;
            case 504 -> ExitCode.OUTCOME_UNKNOWN;
            default -> ExitCode.FAILED;
        };
    }

    private static String shortened(String text) {
        return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) + "…" : text;
    }
}
