package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.InstanceInfo.State;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With a restart grace a rolling restart moves no items, and no item waits longer than the grace. */
class RestartGraceTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration GRACE = Duration.ofMinutes(1);

    private PlacedJob job = PlacedJob.of("job", ShardingPlan.keys(7))
            .with(it -> it.restartGrace(GRACE))
            .at(AT);

    private static InstanceInfo instance(String id, State state) {
        return new InstanceInfo(
                new JobInstance(id, id.substring(0, id.indexOf('@')), "", Map.of(), 1),
                1,
                state,
                false,
                state == State.WORKING ? Set.of("job") : Set.of(),
                List.of(),
                Map.of());
    }

    /** Returns instances with these ids. An instance whose id has a leading {@code -} is shutting down. */
    private static List<InstanceInfo> instances(String... ids) {
        return Stream.of(ids)
                .map(id -> id.startsWith("-") ? instance(id.substring(1), State.DRAINING) : instance(id, State.WORKING))
                .toList();
    }

    private Map<String, List<String>> place(String... ids) {
        Placement.Placed placed = job.placed(instances(ids), new StickyBalancedStrategy());
        job = job.after(placed);
        PlacedJob again = job.after(job.placed(instances(ids), new StickyBalancedStrategy()));
        assertThat(again).as("asked again").isEqualTo(job);
        return placed.items();
    }

    @Test
    void itemsWaitForTheRestartOfTheirInstance() {
        Map<String, List<String>> before = place("a@1@1", "b@1@2", "c@1@3");

        Map<String, List<String>> meanwhile = place("a@1@1", "-b@1@2", "c@1@3");
        assertThat(meanwhile)
                .containsOnly(Map.entry("a@1@1", before.get("a@1@1")), Map.entry("c@1@3", before.get("c@1@3")));
        assertThat(explained(before.get("b@1@2").get(0)))
                .endsWith("instance 'b' is being restarted, and the item waits for restartGrace");
        job = job.at(AT.plus(GRACE)); // the grace starts after the shutdown
        assertThat(place("a@1@1", "-b@1@2", "c@1@3")).isEqualTo(meanwhile);
        assertThat(place("a@1@1", "c@1@3")).isEqualTo(meanwhile);
        assertThat(explained(before.get("b@1@2").get(0)))
                .endsWith("the item waits for restartGrace until 2026-01-01T00:02:00Z");
        assertThat(job.grounds().unplaced()).isEmpty();
        job = job.at(AT.plus(GRACE).plus(GRACE).minusMillis(1));
        assertThat(place("a@1@1", "c@1@3")).isEqualTo(meanwhile);
        assertThat(place("a@1@1", "b@7@4", "c@1@3"))
                .isEqualTo(Map.of(
                        "a@1@1", before.get("a@1@1"), "b@7@4", before.get("b@1@2"), "c@1@3", before.get("c@1@3")));
        assertThat(job.grounds()).isEqualTo(PlacementReasons.NONE);
    }

    @Test
    void itemsMoveAfterTheGraceWithReason() {
        List<String> waiting = place("a@1@1", "b@1@2").get("b@1@2");
        place("a@1@1", "-b@1@2");
        place("a@1@1");
        job = job.at(AT.plus(GRACE));

        Map<String, List<String>> placed = place("a@1@1");
        assertThat(placed).containsOnly(Map.entry("a@1@1", ShardingPlan.keys(7)));
        assertThat(job.grounds().awaited()).isEmpty();
        assertThat(job.grounds().moves()).isEqualTo(Map.of("DRAINED b", waiting));
        assertThat(explained(waiting.get(0), placed)).endsWith("is on a@1@1: it was drained from b");
    }

    @Test
    void crashedInstanceIsNotWaitedFor() {
        place("a@1@1", "b@1@2");

        assertThat(place("a@1@1")).containsOnly(Map.entry("a@1@1", ShardingPlan.keys(7)));
    }

    @Test
    void neighbourOnTheHostIsNotWaitedFor() {
        Map<String, List<String>> before = place("a@1@1", "a@2@2");
        place("a@1@1", "-a@2@2");
        assertThat(place("a@1@1")).containsOnly(Map.entry("a@1@1", before.get("a@1@1")));
        // items do not wait either if the remaining instance has a new session
        InstanceInfo next = new InstanceInfo(
                new JobInstance("a@1@9", "a", "", Map.of(), 1),
                1,
                State.WORKING,
                false,
                Set.of("job"),
                List.of("a@1@1"),
                Map.of());
        assertThat(job.place(List.of(next), new StickyBalancedStrategy()))
                .containsOnly(Map.entry("a@1@9", before.get("a@1@1")));

        assertThat(place("a@1@1", "a@3@3")).containsEntry("a@3@3", before.get("a@2@2"));
    }

    @Test
    void itemsStopWaitingWhenTheGraceIsRemoved() {
        place("a@1@1", "b@1@2");
        place("a@1@1", "-b@1@2");
        job = job.with(it -> it.restartGrace(Duration.ZERO));

        assertThat(place("a@1@1")).containsOnly(Map.entry("a@1@1", ShardingPlan.keys(7)));
    }

    @Test
    void invalidWaitIsIgnored() {
        for (String wait : List.of("b", "b tomorrow", " yesterday")) {
            PlacedJob odd = new PlacedJob(
                    job.job(),
                    job.items(),
                    Map.of(),
                    new PlacementReasons(null, "", Map.of(), Map.of(), Map.of(wait, List.of("3"))),
                    job.circumstances(),
                    AT);
            assertThat(odd.place(instances("a@1@1"), new StickyBalancedStrategy()))
                    .containsOnly(Map.entry("a@1@1", ShardingPlan.keys(7)));
        }
    }

    /**
     * Restarts instances one after the other in random order, with two instances per host. Each item stays on its host.
     */
    @Tag("slow")
    @Test
    void rollingRestartMovesNoItems() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            int count = 2 + random.nextInt(5);
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ids.add("h" + i / 2 + "@" + i + "@" + i);
            }
            job = PlacedJob.of("job", ShardingPlan.keys(count + random.nextInt(20)))
                    .with(it -> it.restartGrace(GRACE))
                    .at(AT);
            Map<String, String> hosts = hosts(place(ids.toArray(String[]::new)));
            int next = count;
            while (!ids.isEmpty() && next < 3 * count) {
                String leaving = ids.remove(random.nextInt(ids.size()));
                place(Stream.concat(ids.stream(), Stream.of("-" + leaving)).toArray(String[]::new));
                place(ids.toArray(String[]::new));
                ids.add(leaving.substring(0, 2) + "@" + next + "@" + next);
                next++;
                place(ids.toArray(String[]::new));
            }
            assertThat(hosts(ownersById())).as("seed %d", seed).isEqualTo(hosts);
        }
    }

    private String explained(String item) {
        return explained(item, Map.of());
    }

    private String explained(String item, Map<String, List<String>> items) {
        ShardingPlan plan = ShardingPlan.of(7, 1, Scope.SHARDED, Schedule.onDemand(), AT, 1)
                .madeFrom(1, 0, 0)
                .with(items, job.grounds());
        return Explanation.of("job", item, plan, JobOverride.NONE);
    }

    private Map<String, List<String>> ownersById() {
        return job.owners().entrySet().stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getValue, Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
    }

    private static Map<String, String> hosts(Map<String, List<String>> placed) {
        Map<String, String> hosts = new HashMap<>();
        placed.forEach((id, items) -> items.forEach(item -> hosts.put(item, id.substring(0, 2))));
        return hosts;
    }
}
