package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the checks of doctor. */
@ExtendWith(OstrakaExtension.class)
class DoctorTest {
    private static final String THREE = "a:2181,b:2181,c:2181";

    private final Map<String, String> answers = new TreeMap<>(Map.of(
            "srvr",
            "Zookeeper version: 3.9.5-1234, built on 2026\nLatency min/avg/max: 0/0.4/12\nMode: follower\n",
            "conf",
            "tickTime=1000\nsyncLimit=5\nmaxSessionTimeout=20000\nmaxClientCnxns=60\n",
            "mntr",
            "zk_znode_count\t10\nzk_num_alive_connections\t3\n"));

    private List<Finding> check(String servers) {
        return EnsembleCheck.of(
                servers,
                (server, word) -> server.getPort() == 8080 ? Optional.empty() : Optional.ofNullable(answers.get(word)));
    }

    private void assertFinding(Finding.Level level, String what) {
        assertThat(check(THREE)).filteredOn(each -> each.level() == level).anySatisfy(each -> {
            assertThat(each.what()).contains(what);
            assertThat(each.todo()).isNotEmpty();
        });
    }

    @Test
    void recommendedEnsembleHasNoFinding() {
        assertThat(check(THREE)).allSatisfy(each -> assertThat(each.level()).isEqualTo(Finding.Level.OK));
    }

    @Test
    void everySettingThatDiffersFromTheAdviceIsFound() {
        answers.put("conf", "tickTime=2000\nsyncLimit=10\nmaxSessionTimeout=8000\nmaxClientCnxns=10\n");
        assertFinding(Finding.Level.WARNING, "tickTime is 2000 ms");
        assertFinding(Finding.Level.WARNING, "syncLimit is 10");
        assertFinding(Finding.Level.ERROR, "maxSessionTimeout is 8000 ms");
        assertFinding(Finding.Level.WARNING, "maxClientCnxns is 10");
    }

    @Test
    void oldSlowAndSingleServersAreFound() {
        answers.put("srvr", "Zookeeper version: 3.8.4-1, built\nLatency min/avg/max: 0/250.5/900\nMode: standalone\n");
        assertFinding(Finding.Level.WARNING, "3.8.4");
        assertFinding(Finding.Level.WARNING, "250.5 ms");
        assertFinding(Finding.Level.WARNING, "single server");
        assertThat(check("a:2181")).anySatisfy(each -> assertThat(each.what()).contains("only one server"));
    }

    @Test
    void versionOfAnyLengthIsRead() {
        answers.put("srvr", "Zookeeper version: 99999999999.1.1-1, built\nMode: follower\n");
        assertThat(check(THREE)).anySatisfy(each -> assertThat(each.what()).contains("99999999999.1.1"));
    }

    @Test
    void leaderWithoutAllFollowersIsFound() {
        answers.put("mntr", "zk_followers\t2\nzk_synced_followers\t1\nzk_outstanding_requests\t500\n");
        assertFinding(Finding.Level.ERROR, "only 1 of 2 followers");
        assertFinding(Finding.Level.WARNING, "500 requests");
    }

    @Test
    void closedWordsAreReportedAsNotChecked() {
        answers.put("conf", "conf is not executed because it is not in the whitelist.\n");
        assertFinding(Finding.Level.SKIPPED, "'conf' is not in the server's whitelist");
        answers.put("srvr", "This ZooKeeper instance is not currently serving requests\n");
        assertFinding(Finding.Level.SKIPPED, "no answer to 'srvr'");
    }

    @Test
    void serverThatDoesNotAnswerIsAnError() {
        answers.clear();
        assertFinding(Finding.Level.ERROR, "does not answer");
    }

    @Test
    void openAdminServerIsFound() {
        List<Finding> findings = EnsembleCheck.of(
                THREE,
                (server, word) -> server.getPort() == 8080
                        ? Optional.of("HTTP/1.1 200\r\n\r\n<a href=\"/commands/ruok\">")
                        : Optional.ofNullable(answers.get(word)));
        assertThat(findings).anySatisfy(each -> assertThat(each.what()).contains("port 8080"));
    }

    @Test
    void addressesOfAllForms() {
        assertThat(EnsembleCheck.addresses("a:2281, b,[::1]:2182/teams/x"))
                .extracting(InetSocketAddress::getHostString, InetSocketAddress::getPort)
                .containsExactly(tuple("a", 2281), tuple("b", 2181), tuple("::1", 2182));
    }

    @Test
    void openNamespaceIsAnErrorIfTheClientHasCredentials() {
        List<ACL> open = ZooDefs.Ids.OPEN_ACL_UNSAFE;
        assertThat(AccessCheck.judge("/orders", false, open).level()).isEqualTo(Finding.Level.WARNING);
        assertThat(AccessCheck.judge("/orders", true, open).level()).isEqualTo(Finding.Level.ERROR);
        assertThat(AccessCheck.judge("/orders", true, ZooDefs.Ids.READ_ACL_UNSAFE)
                        .what())
                .contains("can read");
    }

    @Test
    void applicationWithoutProblemsHasNoError(@Instances(2) TestCluster cluster) {
        schedule(cluster);
        Harness ostraka = Harness.of(cluster);

        assertThat(ostraka.run("doctor")).isZero();
        assertThat(ostraka.out())
                .contains("run 'ostraka doctor --zookeeper HOSTS'", "all nodes of 1 jobs are readable");
        assertThat(ostraka.err()).contains("0 errors");
    }

    @Test
    void damagedNodeAndWrongClockAreErrors(@Instances(2) TestCluster cluster) {
        schedule(cluster);
        cluster.join(Duration.ofMinutes(5));
        cluster.advance(Duration.ofMinutes(2));
        Harness ostraka = Harness.of(cluster).replacing(response -> {
            String text = response.text();
            return text.contains("\"registeredBy\"")
                    ? new io.ostraka.console.Response(
                            200,
                            Map.of(),
                            text.replaceFirst("\\{", "{\"problem\":\"/jobs/settle/config is damaged; delete it\",")
                                    .getBytes(java.nio.charset.StandardCharsets.UTF_8))
                    : response;
        });

        assertThat(ostraka.run("doctor", "-o", "json")).isEqualTo(1);
        JsonObject json = JsonParser.parseString(ostraka.out()).getAsJsonObject();
        assertThat(json.toString()).contains("/jobs/settle/config is damaged", "more than 10 s ahead of ZooKeeper's");
        ostraka.run("doctor", "-o", "name");
        assertThat(ostraka.out()).contains("nodes of job 'settle'", "application");
    }

    /** An operator has paused the job on purpose. */
    @Test
    void pausedJobIsAWarning(@Instances(2) TestCluster cluster) {
        schedule(cluster);
        Harness ostraka = Harness.of(cluster);
        ostraka.run("job", "pause", "settle");
        cluster.advance(Duration.ofSeconds(10));

        assertThat(ostraka.run("doctor")).isZero();
        assertThat(ostraka.out()).contains("WARNING  job 'settle'", "ostraka job resume settle");
    }

    private static void schedule(TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("settle", 2)
                        .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                        .build());
    }
}
