package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.console.Response;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that no text of a server, a job or another person begins a line of its own or controls the terminal. Each text
 * of each answer gets a line feed and control characters, except for words, times and durations that this program reads.
 */
@ExtendWith(OstrakaExtension.class)
class HostileTextTest {
    private static final String JOB = "settle";
    private static final String HOSTILE = "\nforged\r\u001b[2J\u0085\u202e\u2028\udb40\udc41";
    private static final Set<String> MAPS = Set.of("owners", "drained", "fires", "tags", "parameters", "labels");

    private static JsonElement hostile(JsonElement json, boolean map) {
        if (json instanceof JsonObject object) {
            JsonObject changed = new JsonObject();
            object.asMap()
                    .forEach((name, value) ->
                            changed.add(map ? name + HOSTILE : name, hostile(value, MAPS.contains(name))));
            return changed;
        } else if (json instanceof JsonArray array) {
            JsonArray changed = new JsonArray();
            array.forEach(each -> changed.add(hostile(each, false)));
            return changed;
        }
        boolean free = json instanceof JsonPrimitive primitive
                && primitive.isString()
                && !primitive.getAsString().matches("[A-Z_]+|\\d{4}-\\d\\d-\\d\\dT\\S+Z|P\\w+|cron|fixedRate");
        return free ? new JsonPrimitive(json.getAsString() + HOSTILE) : json;
    }

    private static Response hostile(Response response) {
        String text = hostile(JsonParser.parseString(response.text()), false).toString();
        return new Response(response.status(), response.headers(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertHarmless(String of, String printed) {
        assertThat(printed.lines()).as(of).noneMatch(line -> line.strip().startsWith("forged"));
        assertThat(printed.codePoints().filter(each -> each != '\n'))
                .as(of)
                .noneMatch(each -> Character.isISOControl(each) || each == 0x202e || each == 0x2028 || each == 0xe0041);
    }

    @Test
    void noTextBeginsALineOrControlsTheTerminal(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    if (context.itemKey().equals("0")) {
                        throw new IllegalStateException("no such account");
                    }
                },
                JobConfiguration.newBuilder(JOB, 3)
                        .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                        .quarantineAfter(2)
                        .build());
        Harness ostraka = Harness.of(cluster);
        cluster.advance(Duration.ofHours(3));
        for (List<String> line : List.of(
                List.of("job", "override", "set", JOB, "maxAttempts=5", "--reason", "slow"),
                List.of("job", "pause", JOB, "--reason", "upgrade"),
                List.of("job", "silence", JOB, "--reason", "known"),
                List.of("job", "trigger", JOB, "--request-id", "r-1"),
                List.of("instance", "drain", "host-1", "--reason", "new disk"),
                List.of("backfill", "start", JOB, "--from", "2026-01-01T01:00Z", "--to", "2026-01-01T02:00Z"),
                List.of("namespace", "freeze", "--yes", "--reason", "migration"))) {
            assertThat(ostraka.run(line.toArray(String[]::new)))
                    .as(line + ostraka.err())
                    .isZero();
            cluster.advance(Duration.ofSeconds(6));
        }
        ostraka.replacing(HostileTextTest::hostile);

        for (String view : List.of(
                "status",
                "namespace list",
                "namespace get",
                "job list",
                "job get settle",
                "job activity settle",
                "job next settle",
                "item list settle",
                "item explain settle 0",
                "instance list",
                "run get settle r-1",
                "backfill list",
                "alarm list",
                "forecast",
                "doctor",
                "job pause settle report --dry-run",
                "job resume settle --dry-run",
                "instance drain host-0 --dry-run",
                "item release settle 0 --dry-run",
                "namespace thaw --dry-run",
                "job get setle")) {
            for (String format : List.of("table", "wide", "name", "json", "yaml")) {
                ostraka.run((view + " -o " + format).split(" "));
                assertHarmless(view + " -o " + format, ostraka.out());
                assertHarmless(view + " -o " + format, ostraka.err());
                assertThat(ostraka.err()).as(view).doesNotContain("defect");
            }
        }
    }
}
