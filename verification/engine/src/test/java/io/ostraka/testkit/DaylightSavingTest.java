package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Scenario 21. Guards against a nightly job that runs twice in October, or not at all in March. */
class DaylightSavingTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final List<String> HOURS = List.of("00:00:00Z", "01:00:00Z", "02:00:00Z", "03:00:00Z");

    static Stream<Arguments> nights() {
        return Stream.of(
                Arguments.of("2026-03-28T23:30:00Z", "2026-03-29T", "01:00:00Z"),
                Arguments.of("2026-10-24T23:30:00Z", "2026-10-25T", "00:30:00Z"));
    }

    /** The clock changes at 01:00Z both times: 02:30 does not exist in March and exists twice in October. */
    @Tag("slow")
    @ParameterizedTest(name = "{1}")
    @MethodSource("nights")
    void everyFireRunsOnceAcrossAClockChangeAndAKill(String start, String day, String nightly) {
        Map<String, Integer> runs = new TreeMap<>();
        try (TestCluster cluster = new TestCluster(3, Instant.parse(start), 0)) {
            schedule(cluster, runs, "nightly", "0 30 2 * * ?");
            schedule(cluster, runs, "hourly", "0 0 * * * ?");
            cluster.advance(Duration.between(cluster.now(), Instant.parse(day + "00:59:58Z")));
            cluster.instances().get(0).kill();
            cluster.advance(Duration.between(cluster.now(), Instant.parse(day + "03:30:00Z")));
        }

        Map<String, Integer> expected = new TreeMap<>();
        for (int item = 0; item < 3; item++) {
            expected.put("nightly/" + item + " at " + day + nightly, 1);
            for (String hour : HOURS) {
                expected.put("hourly/" + item + " at " + day + hour, 1);
            }
        }
        assertThat(runs).isEqualTo(expected);
    }

    private static void schedule(TestCluster cluster, Map<String, Integer> runs, String name, String cron) {
        cluster.schedule(
                context -> runs.merge(
                        context.jobName() + "/" + context.shardingItem() + " at " + context.fireTime(),
                        1,
                        Integer::sum),
                JobConfiguration.newBuilder(name, 3)
                        .schedule(Schedule.cron(cron, BERLIN))
                        .build());
    }
}
