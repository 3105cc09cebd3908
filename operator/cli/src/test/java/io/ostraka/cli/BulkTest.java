package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.console.Request;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests commands for several jobs, and confirmations. */
@ExtendWith(OstrakaExtension.class)
class BulkTest {
    private static void schedule(TestCluster cluster, String... jobs) {
        for (String job : jobs) {
            cluster.schedule(
                    context -> {},
                    JobConfiguration.newBuilder(job, 1)
                            .schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")))
                            .build());
        }
    }

    private static List<String> paused(TestCluster cluster) {
        cluster.advance(Duration.ofSeconds(6));
        return cluster.operations().jobs().stream()
                .filter(job -> job.state() == JobState.PAUSED)
                .map(JobSummary::job)
                .toList();
    }

    private static List<String> commands(Harness ostraka) {
        return ostraka.requests().stream()
                .filter(each -> each.method().equals("POST"))
                .map(Request::path)
                .toList();
    }

    @Test
    void selectionIsShownBeforeItIsConfirmedAndActsOnTheShownJobs(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle-eu", "settle-us", "report");
        Harness ostraka = Harness.of(cluster).typing("orders\n");

        assertThat(ostraka.run("job", "pause", "--search", "settle")).isZero();

        assertThat(ostraka.err())
                .contains("settle-eu", "settle-us", "2 jobs: settle-eu, settle-us", "Type the name of the");
        assertThat(ostraka.err()).doesNotContain("report");
        assertThat(ostraka.out()).contains("settle-eu", "settle-us", "ok");
        assertThat(paused(cluster)).containsExactly("settle-eu", "settle-us");
    }

    /** A job that begins to match while the user types is not in the list that the user has seen. */
    @Test
    void jobThatMatchesLaterIsLeftAlone(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle-eu", "settle-us");
        Harness ostraka = Harness.of(cluster).typing("orders\n");
        boolean[] added = new boolean[1];
        ostraka.replacing(response -> {
            if (!added[0] && response.text().contains("settle-us")) {
                added[0] = true;
                schedule(cluster, "settle-asia");
            }
            return response;
        });

        assertThat(ostraka.run("job", "pause", "--search", "settle")).isZero();

        assertThat(paused(cluster)).containsExactly("settle-eu", "settle-us");
        assertThat(commands(ostraka)).hasSize(2);
    }

    @Test
    void wrongNameChangesNothing(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle-eu", "settle-us");
        Harness ostraka = Harness.of(cluster).typing("yes\n");

        assertThat(ostraka.run("job", "pause", "settle-eu", "settle-us")).isEqualTo(2);
        assertThat(ostraka.err()).contains("nothing was changed");
        assertThat(commands(ostraka)).isEmpty();
    }

    @Test
    void oneFailedJobDoesNotStopTheOthersAndDecidesTheExitCode(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle-eu", "settle-us");
        Harness ostraka = Harness.of(cluster);

        int code = ostraka.run("job", "pause", "settle-eu", "missing", "settle-us", "--yes");

        assertThat(code).isIn(3, 5);
        assertThat(ostraka.out()).containsPattern("settle-eu +ok").containsPattern("missing +(NOT_FOUND|CONFLICT)");
        assertThat(ostraka.err()).contains("missing: ");
        assertThat(paused(cluster)).containsExactly("settle-eu", "settle-us");
    }

    @Test
    void resultsOfSeveralJobsAreOneJsonDocument(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle-eu", "settle-us");
        Harness ostraka = Harness.of(cluster);
        ostraka.run("job", "pause", "settle-eu", "missing", "--yes", "-o", "json");

        JsonArray results = JsonParser.parseString(ostraka.out()).getAsJsonArray();

        assertThat(results).hasSize(2);
        assertThat(results.get(1).getAsJsonObject().get("exitCode").getAsInt()).isIn(3, 5);
    }

    @Test
    void emptySelectionChangesNothing(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle");
        Harness ostraka = Harness.of(cluster).typing("orders\n");

        assertThat(ostraka.run("job", "pause", "--search", "nothing")).isEqualTo(3);
        assertThat(ostraka.run("job", "pause", "settle", "--problems")).isEqualTo(2);
        assertThat(commands(ostraka)).isEmpty();
    }

    @Test
    void selectorsAreTheSameAsTheirOptions(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle-eu", "settle-us", "report");
        Harness ostraka = Harness.of(cluster);

        ostraka.run("job", "pause", "--selector", "search=settle", "--yes");
        assertThat(paused(cluster)).containsExactly("settle-eu", "settle-us");
        ostraka.run("job", "resume", "--state", "paused", "--yes");
        assertThat(paused(cluster)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "job remove settle",
                "job purge settle",
                "namespace freeze",
                "instance evict host-0",
                "job pause settle report",
                "job pause --search settle",
                "job trigger --problems"
            })
    void withoutATerminalACommandThatNeedsAConfirmationFailsAtOnce(String line) {
        Harness ostraka = Harness.answering(request -> new io.ostraka.console.Response(
                200,
                java.util.Map.of(),
                ("{\"jobs\":[" + Harness.job("settle") + "]}").getBytes(java.nio.charset.StandardCharsets.UTF_8)));

        assertThat(ostraka.run(line.split(" "))).isEqualTo(2);
        assertThat(ostraka.err()).contains("--yes");
        assertThat(commands(ostraka)).isEmpty();
    }

    @Test
    void worstCommandsNeedTheNameOfTheJobOrNamespace(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle");
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.typing("settel\n").run("job", "remove", "settle")).isEqualTo(2);
        assertThat(ostraka.typing("").run("job", "remove", "settle")).isEqualTo(2);
        assertThat(ostraka.typing("settle\n").run("namespace", "freeze")).isEqualTo(2);
        assertThat(commands(ostraka)).isEmpty();
        assertThat(ostraka.typing("settle\n").run("job", "remove", "settle")).isZero();
        assertThat(ostraka.typing("orders\n").run("namespace", "freeze")).isZero();
        assertThat(commands(ostraka)).hasSize(2);
    }

    @Test
    void requestIdBelongsToASingleJob(@Instances(1) TestCluster cluster) {
        schedule(cluster, "settle", "report");
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("job", "pause", "settle", "report", "--yes", "--request-id", "r"))
                .isEqualTo(2);
        assertThat(commands(ostraka)).isEmpty();
    }

    @Test
    void allPagesOfTheListAreRead() {
        Harness ostraka = Harness.answering(request -> {
            boolean second = request.query().contains("after=p2");
            String body = "{\"jobs\":[" + Harness.job(second ? "b" : "a") + "],\"total\":2"
                    + (second ? "}" : ",\"next\":\"p2\"}");
            return new io.ostraka.console.Response(
                    200, java.util.Map.of(), body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        });

        assertThat(ostraka.run("job", "list", "-o", "name")).isZero();
        assertThat(ostraka.out()).isEqualTo("a\nb\n");
    }

    /** A hostile server that always names a next page must not keep the program busy forever. */
    @ParameterizedTest
    @ValueSource(strings = {"same", "alternating", "new", "new and empty"})
    void listWithoutAnEndIsRefused(String cursors) {
        int[] pages = {0};
        Harness ostraka = Harness.answering(request -> {
            pages[0]++;
            String next =
                    cursors.equals("same") ? "p" : cursors.equals("alternating") ? "p" + pages[0] % 3 : "p" + pages[0];
            String jobs = cursors.endsWith("empty") ? "" : Harness.job("a");
            return new io.ostraka.console.Response(
                    200,
                    java.util.Map.of(),
                    ("{\"jobs\":[" + jobs + "],\"next\":\"" + next + "\"}")
                            .getBytes(java.nio.charset.StandardCharsets.UTF_8));
        });

        assertThat(ostraka.run("job", "list", "-o", "name")).isEqualTo(1);
        assertThat(ostraka.err())
                .contains(
                        "the list of jobs was not read to its end", cursors.startsWith("new") ? "1000 pages" : "twice");
        assertThat(ostraka.out()).isEmpty();
    }

    @Test
    void listThatWouldFillTheMemoryIsRefused() {
        byte[] job = ("{\"jobs\":[" + Harness.job("a") + "],\"next\":\"0\"}")
                .getBytes(java.nio.charset.StandardCharsets.UTF_8);
        byte[] large = new byte[33 << 20];
        java.util.Arrays.fill(large, (byte) ' ');
        System.arraycopy(job, 0, large, 0, job.length);
        int[] pages = {0};
        Harness ostraka = Harness.answering(request -> {
            large[job.length - 3] = (byte) ('0' + pages[0]++);
            return new io.ostraka.console.Response(200, java.util.Map.of(), large.clone());
        });

        assertThat(ostraka.run("job", "list", "-o", "name")).isEqualTo(1);
        assertThat(ostraka.err()).contains("64 MiB");
        assertThat(pages[0]).isEqualTo(2);
    }
}
