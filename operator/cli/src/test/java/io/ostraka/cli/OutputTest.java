package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Transport;
import io.ostraka.console.Response;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the formats of the output. */
class OutputTest {
    private static final String JOBS =
            """
            {"jobs":[{"job":"settle","state":"PAUSED","stateText":"paused by ann","items":4,"owners":{"a@1@2":3},
             "health":[{"reason":{"kind":"QUARANTINED_ITEMS","text":"quarantined items 1: find the cause","since":"2026-01-31T21:00:00Z"},"instances":["a@1@2"]}],
             "schedule":{"expression":"0 0 2 * * ?","zone":"Europe/Berlin","type":"cron"},"triggers":0,
             "nextFire":"2026-02-01T01:00:00Z","at":"2026-01-31T22:00:00Z"}],"total":1}""";

    private static final String LISTS =
            "{\"jobs\":[" + Harness.job("settle") + "],\"problems\":[],\"alarms\":[],\"instances\":[]}";
    private static final String NAMESPACE =
            "{\"instances\":1,\"jobs\":1,\"drained\":{},\"version\":1,\"at\":\"2026-01-31T22:00:00Z\"}";

    private static Harness answering(String json) {
        return Harness.answering(request -> new Response(200, Map.of(), json.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void tableHasTheNarrowColumns() {
        Harness ostraka = answering(JOBS);
        ostraka.run("job", "list");

        assertThat(ostraka.out())
                .isEqualTo(
                        """
                        JOB     STATE   PROBLEMS           ITEMS             NEXT FIRE
                        settle  PAUSED  QUARANTINED_ITEMS  4 (1 unassigned)  paused
                        """);
    }

    @Test
    void wideTableHasAllColumns() {
        Harness ostraka = answering(JOBS);
        ostraka.run("job", "list", "-o", "wide");

        assertThat(ostraka.out())
                .contains("SCHEDULE", "cron '0 0 2 * * ?' in Europe/Berlin", "paused by ann; quarantined");
    }

    @Test
    void timesInTextsOfTheServerAreInSeconds() {
        Harness ostraka = answering(JOBS.replace("paused by ann", "paused by ann until 2026-02-01T01:00:00.123456789Z")
                .replace("find the cause", "see settle@2026-01-31T21:00:00.5Z"));
        ostraka.run("job", "list", "-o", "wide");
        assertThat(ostraka.out()).contains("until 2026-02-01T01:00:00Z;", "see settle@2026-01-31T21:00:00.5Z");
        ostraka.run("job", "list", "-o", "json");
        assertThat(ostraka.out()).contains("2026-02-01T01:00:00.123456789Z");
    }

    @Test
    void tableFitsTheTerminalAndSaysThatItWasCut() {
        Harness ostraka = answering(JOBS).width(40);
        ostraka.run("job", "list");

        assertThat(ostraka.out().lines())
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(48));
        assertThat(ostraka.out()).contains("…");
        assertThat(ostraka.err()).contains("40 columns", "-o wide");
        assertThat(ostraka.out()).contains("settle  ");
        ostraka.width(0).run("job", "list");
        assertThat(ostraka.out()).doesNotContain("…");
        assertThat(ostraka.err()).isEmpty();
    }

    @Test
    void jsonIsTheBodyOfTheApi() {
        Harness ostraka = answering(JOBS);
        ostraka.run("job", "list", "-o", "json");

        assertThat(JsonParser.parseString(ostraka.out())).isEqualTo(JsonParser.parseString(JOBS));
    }

    @Test
    void nameIsOneNameALine() {
        Harness ostraka = answering(JOBS);
        ostraka.run("job", "list", "-o", "name");

        assertThat(ostraka.out()).isEqualTo("settle\n");
    }

    @Test
    void yamlHasQuotedTexts() {
        Harness ostraka =
                answering("{\"namespaces\":[\"on\",\"a: b\"],\"no\":null,\"list\":[{\"x\":1,\"y\":[]},[2]],\"o\":{}}");
        ostraka.run("namespace", "list", "-o", "yaml");

        assertThat(ostraka.out())
                .isEqualTo(
                        """
                        namespaces:
                          - "on"
                          - "a: b"
                        "no": null
                        list:
                          -
                            x: 1
                            "y": []
                          -
                            - 2
                        o: {}
                        """);
    }

    @Test
    void coloursAreOnlyForATerminalThatWantsThem() {
        Harness ostraka = answering(JOBS);
        ostraka.run("job", "list");
        assertThat(ostraka.out()).doesNotContain("\u001b");
        ostraka.colours().run("job", "list");
        assertThat(ostraka.out()).contains("\u001b[33mPAUSED\u001b[0m");
        ostraka.run("job", "list", "-o", "json");
        assertThat(ostraka.out()).doesNotContain("\u001b");
    }

    /** A job may write what it wants into an error. */
    @Test
    void controlCharactersOfTheServerDoNotReachTheTerminal() {
        String hostile = JOBS.replace(
                        "find the cause",
                        "\\u001b]0;owned\\u0007\\u009b2J\\u202e\\u2066\\u200f\\u061c\\u2028\\u2029done")
                .replace("settle", "se\\u001b[2Jttle");
        Harness ostraka = answering(hostile);
        for (String format : new String[] {"table", "wide", "json", "yaml", "name"}) {
            ostraka.run("job", "list", "-o", format);
            assertThat(ostraka.out().chars().filter(each -> each != '\n'))
                    .as(format)
                    .allMatch(each -> each >= ' ' && (each < 0x7f || each > 0x9f))
                    .doesNotContain(0x202e, 0x2066, 0x200f, 0x61c, 0x2028, 0x2029);
        }
        Harness failing = Harness.answering(request -> new Response(
                403,
                Map.of(),
                "{\"code\":\"FORBIDDEN\",\"detail\":\"no\\u001b[2J\"}".getBytes(StandardCharsets.UTF_8)));
        failing.run("job", "list");
        assertThat(failing.err()).doesNotContain("\u001b");
    }

    @Test
    void answerOfAnotherShapeNamesTheMember() {
        Harness ostraka = answering(JOBS.replace("\"PAUSED\"", "\"FROZEN_OVER\""));

        assertThat(ostraka.run("job", "list")).isEqualTo(ExitCode.FAILED.code());
        assertThat(ostraka.err()).contains("jobs[0].state is \"FROZEN_OVER\"; accepted: one of [", "PAUSED");
        assertThat(ostraka.out()).isEmpty();
    }

    @Test
    void watchedYamlIsAStreamOfDocuments() {
        Harness ostraka = answering(JOBS);
        ostraka.run("job", "list", "--watch", "-o", "yaml");

        assertThat(ostraka.out()).startsWith("---\njobs:\n");
    }

    @Test
    void watchEndsQuietlyIfTheReaderOfItsOutputHasEnded() {
        for (String view : new String[] {"status", "job list", "alarm list -o json", "instance list -o yaml"}) {
            int[] pauses = {0};
            Harness ostraka = Harness.answering(request -> new Response(
                            200,
                            Map.of(),
                            (request.path().endsWith("/orders") ? NAMESPACE : LISTS).getBytes(StandardCharsets.UTF_8)))
                    .closedPipe()
                    .pause(() -> ++pauses[0] < 3);
            assertThat(ostraka.run((view + " --watch").split(" ")))
                    .as(view + ostraka.err())
                    .isZero();
            assertThat(pauses[0]).as(view).isZero();
        }
    }

    @Test
    void watchOutlivesAServerThatDoesNotAnswerForAWhile() {
        int[] requests = new int[1];
        Harness ostraka = Harness.answering(request -> {
            if (requests[0]++ == 0) {
                throw new Transport.Broken(false, "not reachable");
            }
            return new Response(200, Map.of(), JOBS.getBytes(StandardCharsets.UTF_8));
        });
        int[] pauses = new int[1];

        assertThat(ostraka.pause(() -> ++pauses[0] < 2).run("job", "list", "--watch"))
                .isZero();
        assertThat(ostraka.err()).contains("not reachable");
        assertThat(ostraka.out()).contains("settle");
    }
}
