package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Transport;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the exit code and the message of every problem. */
class ExitCodesTest {
    private static final Map<Problem.Code, ExitCode> OF_VIEW = Map.ofEntries(
            Map.entry(Problem.Code.BAD_REQUEST, ExitCode.FAILED),
            Map.entry(Problem.Code.UNAUTHENTICATED, ExitCode.NOT_ALLOWED),
            Map.entry(Problem.Code.FORBIDDEN, ExitCode.NOT_ALLOWED),
            Map.entry(Problem.Code.NOT_FOUND, ExitCode.NOT_FOUND),
            Map.entry(Problem.Code.METHOD_NOT_ALLOWED, ExitCode.FAILED),
            Map.entry(Problem.Code.TIMEOUT, ExitCode.FAILED),
            Map.entry(Problem.Code.REFUSED, ExitCode.CONFLICT),
            Map.entry(Problem.Code.CONFLICT, ExitCode.CONFLICT),
            Map.entry(Problem.Code.TOO_LARGE, ExitCode.FAILED),
            Map.entry(Problem.Code.UNSUPPORTED_MEDIA_TYPE, ExitCode.FAILED),
            Map.entry(Problem.Code.MISDIRECTED, ExitCode.FAILED),
            Map.entry(Problem.Code.INVALID, ExitCode.USAGE),
            Map.entry(Problem.Code.TOO_MANY_REQUESTS, ExitCode.FAILED),
            Map.entry(Problem.Code.INTERNAL_ERROR, ExitCode.FAILED),
            Map.entry(Problem.Code.UNAVAILABLE, ExitCode.UNREACHABLE),
            Map.entry(Problem.Code.OUTCOME_UNKNOWN, ExitCode.OUTCOME_UNKNOWN));

    private static Response response(int status, String body) {
        return new Response(status, Map.of(), body.getBytes(StandardCharsets.UTF_8));
    }

    private static Response problem(Problem.Code code) {
        String name = code.name();
        return response(
                code.status(),
                "{\"status\":" + code.status() + ",\"code\":\"" + name + "\",\"detail\":\"the reason of " + name
                        + "\"}");
    }

    @ParameterizedTest
    @EnumSource(Problem.Code.class)
    void everyProblemOfAViewHasAnExitCodeAndItsText(Problem.Code code) {
        Harness ostraka = Harness.answering(request -> problem(code));

        assertThat(ostraka.run("namespace", "get")).isEqualTo(OF_VIEW.get(code).code());
        assertThat(ostraka.err()).isEqualTo("ostraka: the reason of " + code + "\n");
        assertThat(ostraka.out()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Problem.Code.class)
    void everyProblemOfACommandHasAnExitCode(Problem.Code code) {
        Harness ostraka = Harness.answering(request -> problem(code));
        ExitCode expected = code == Problem.Code.INTERNAL_ERROR ? ExitCode.OUTCOME_UNKNOWN : OF_VIEW.get(code);

        assertThat(ostraka.run("job", "pause", "settle")).isEqualTo(expected.code());
        assertThat(ostraka.err()).contains("the reason of " + code);
    }

    @Test
    void unknownOutcomeNamesTheCommandLineThatRepeatsTheCommand() {
        Harness ostraka = Harness.answering(request -> problem(Problem.Code.OUTCOME_UNKNOWN));

        int code = ostraka.run(
                "-n",
                "orders",
                "job",
                "override",
                "set",
                "settle",
                "jobParameter=it's 5",
                "--reason",
                "two words",
                "--until",
                "2h");

        assertThat(code).isEqualTo(7);
        Request sent = ostraka.requests().stream()
                .filter(each -> each.method().equals("POST"))
                .findFirst()
                .orElseThrow();
        String id = Json.object(new String(sent.body(), StandardCharsets.UTF_8))
                .get("requestId")
                .getAsString();
        assertThat(ostraka.err())
                .contains("The request id is " + id)
                .contains("ostraka -n orders job override set settle 'jobParameter=it'\\''s 5'")
                .contains("--reason 'two words'", "--until 2h", "--request-id " + id);
    }

    /** Names of a hostile namespace and texts of the user must not become options or commands of the shell. */
    @Test
    void repeatedCommandLineIsSafeToPaste() {
        Harness ostraka = Harness.answering(request -> problem(Problem.Code.OUTCOME_UNKNOWN));
        String parameter = "a=1\n2";
        ostraka.run(
                "run", "rerun", "--item=-3", "--parameter", parameter, "--reason=--soon", "-n=-x", "--", "-j", "-r");

        String line = ostraka.err()
                .substring(ostraka.err().indexOf("in total: ") + "in total: ".length())
                .strip();
        assertThat(line)
                .startsWith("ostraka -n=-x run rerun ")
                .contains("--item=-3", "--parameter $'a=1\\u000a2'", "--reason=--soon")
                .endsWith(" -- -j -r");
        ostraka.run(Stream.of(line.replaceFirst("^ostraka ", "").split(" "))
                .map(each -> each.startsWith("$") ? parameter : each)
                .toArray(String[]::new));
        assertThat(ostraka.requests()).hasSize(2);
        assertThat(ostraka.requests().get(1).body())
                .isEqualTo(ostraka.requests().get(0).body());
    }

    @Test
    void repeatedCommandLineSendsTheSameRequest() {
        Harness ostraka = Harness.answering(request -> problem(Problem.Code.OUTCOME_UNKNOWN));
        ostraka.run("run", "stop", "settle", "r-1", "--item", "3", "--reason", "hangs");
        String line = ostraka.err()
                .substring(ostraka.err().indexOf("in total: ") + "in total: ".length())
                .strip();

        ostraka.run(line.replaceFirst("^ostraka ", "").split(" "));

        assertThat(ostraka.requests()).hasSize(2);
        assertThat(ostraka.requests().get(1).body())
                .isEqualTo(ostraka.requests().get(0).body());
        assertThat(ostraka.requests().get(1).path())
                .isEqualTo(ostraka.requests().get(0).path());
    }

    /** Guards against the eviction of the next session of a process, whose name is the same. */
    @Test
    void repeatedEvictionNamesTheSession() {
        String instances =
                """
                {"instances":[{"instance":{"id":"host-0@12@34","host":"host","zone":"","tags":{},"weight":1},"pid":12,
                "state":"WORKING","leading":true,"clockAhead":false,"jobs":[],"items":{}}]}""";
        Harness ostraka = Harness.answering(request -> request.method().equals("GET")
                ? new Response(200, Map.of(), instances.getBytes(StandardCharsets.UTF_8))
                : request.query().isEmpty()
                        ? problem(Problem.Code.OUTCOME_UNKNOWN)
                        : new Response(
                                200, Map.of(), "{\"effects\":[],\"text\":\"\"}".getBytes(StandardCharsets.UTF_8)));

        assertThat(ostraka.run("instance", "evict", "host-0", "--yes")).isEqualTo(7);

        assertThat(ostraka.err()).contains("instance evict host-0@12@34");
    }

    @ParameterizedTest
    @CsvSource({"true, 7", "false, 6"})
    void brokenConnectionOfACommandIsUnknownOnlyIfTheCommandWasSent(boolean sent, int expected) {
        Harness ostraka = Harness.answering(request -> {
            throw new Transport.Broken(sent, "the connection ended");
        });

        assertThat(ostraka.run("job", "pause", "settle")).isEqualTo(expected);
        assertThat(ostraka.run("job", "pause", "settle", "--dry-run")).isEqualTo(6);
        assertThat(ostraka.run("job", "list")).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({
        "401, <html>, 4, 4", "403, '', 4, 4", "404, <html>, 3, 3", "429, '', 1, 1", "500, <html>, 6, 7",
                "502, '', 6, 7",
        "503, '', 6, 7", "504, '', 6, 7", "301, '', 6, 6", "200, <html>, 6, 7", "200, '{\"half', 6, 7", "200, [], 6, 7",
        "200, '{}', 1, 7", "200, '', 6, 7", "204, '', 6, 7", "400, '{}', 1, 1", "418, '{\"code\":5}', 6, 7"
    })
    void answersOfOtherProgramsAreNeverTakenForSuccess(int status, String body, int ofView, int ofCommand) {
        Harness ostraka = Harness.answering(request -> response(status, body));

        assertThat(ostraka.run("namespace", "get")).isEqualTo(ofView);
        assertThat(ostraka.run("job", "pause", "settle")).isEqualTo(ofCommand);
    }

    @Test
    void problemOfALaterVersionHasTheExitCodeOfItsStatus() {
        Harness ostraka = Harness.answering(
                request -> response(409, "{\"code\":\"LATER\",\"detail\":\"a reason of the future\"}"));

        assertThat(ostraka.run("job", "pause", "settle")).isEqualTo(5);
        assertThat(ostraka.err()).contains("a reason of the future");
    }

    @Test
    void mistakesInTheCommandLineSendNothing() {
        Harness ostraka = Harness.answering(request -> response(200, "{}"));

        assertThat(ostraka.run("job", "pauze", "settle")).isEqualTo(2);
        assertThat(ostraka.err()).contains("'ostraka job' has no verb pauze; did you mean pause?");
        assertThat(ostraka.run("jbo", "list")).isEqualTo(2);
        assertThat(ostraka.err()).contains("'ostraka' has no command jbo; did you mean job?");
        assertThat(ostraka.run("pause", "settle")).isEqualTo(2);
        assertThat(ostraka.err()).contains("did you mean job pause?");
        assertThat(ostraka.run("job", "get", "settle", "a", "b c")).isEqualTo(2);
        assertThat(ostraka.err())
                .contains("'ostraka job get' takes no further value, but the command line has a 'b c'")
                .doesNotContain("index");
        assertThat(ostraka.run("job", "pause", "settle", "--raeson", "x")).isEqualTo(2);
        assertThat(ostraka.err()).contains("'ostraka job pause' has no option --raeson; did you mean --reason?");
        assertThat(ostraka.run("job", "override", "set", "settle", "timeout")).isEqualTo(2);
        assertThat(ostraka.err())
                .contains("FIELD=VALUE is 'timeout'; accepted: NAME=VALUE")
                .doesNotContain("index");
        assertThat(ostraka.run("job", "get")).isEqualTo(2);
        assertThat(ostraka.run("job")).isEqualTo(2);
        assertThat(ostraka.run()).isEqualTo(2);
        assertThat(ostraka.run("job", "pause", "settle", "--until", "soon")).isEqualTo(2);
        assertThat(ostraka.err()).contains("'soon' is not a time; accepted: ");
        assertThat(ostraka.run("job", "list", "--state", "BROKEN")).isEqualTo(2);
        assertThat(ostraka.run("job", "list", "--selector", "owner=ann")).isEqualTo(2);
        assertThat(ostraka.run("job", "list", "-o", "xml")).isEqualTo(2);
        assertThat(ostraka.run("job", "list", "--timeout", "0s")).isEqualTo(2);
        assertThat(ostraka.run("job", "next", "settle", "--count", "+5")).isEqualTo(2);
        assertThat(ostraka.err())
                .contains("--count", "'+5'; accepted: 0 to 2147483647, in the digits 0 to 9 without a sign");
        assertThat(ostraka.run("job", "pause", "settle", "--if-version", "٥")).isEqualTo(2);
        assertThat(ostraka.run("job", "pause")).isEqualTo(2);
        assertThat(ostraka.requests()).isEmpty();
        assertThat(ostraka.opened()).isZero();
    }

    @Test
    void helpAndVersionNeedNoConnection() {
        Harness ostraka = Harness.answering(request -> response(500, ""));

        assertThat(ostraka.run("--help")).isZero();
        assertThat(ostraka.out()).contains("Exit codes:");
        assertThat(ostraka.run("job", "pause", "--help")).isZero();
        assertThat(ostraka.out()).contains("--until").doesNotContain("--trust-store");
        assertThat(ostraka.run("--version")).isZero();
        assertThat(ostraka.opened()).isZero();
    }
}
