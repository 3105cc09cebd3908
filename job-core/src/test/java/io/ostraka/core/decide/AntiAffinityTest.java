package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobInstance;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.StickyBalancedStrategy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AntiAffinityTest {
    @Test
    void jobYieldsToTheJobThatItNames() {
        assertThat(AntiAffinity.yieldsTo("b", Map.of("b", "a"))).contains("a");
        assertThat(AntiAffinity.yieldsTo("a", Map.of("a", "b"))).contains("b");
        assertThat(AntiAffinity.yieldsTo("a", Map.of("b", "a"))).isEmpty();
    }

    @Test
    void firstJobOfRingYieldsToNoOther() {
        Map<String, String> pair = Map.of("a", "b", "b", "a");
        assertThat(AntiAffinity.yieldsTo("a", pair)).isEmpty();
        assertThat(AntiAffinity.yieldsTo("b", pair)).contains("a");
        Map<String, String> ring = Map.of("x", "z", "z", "y", "y", "x", "a", "x");
        assertThat(AntiAffinity.yieldsTo("x", ring)).isEmpty();
        assertThat(AntiAffinity.yieldsTo("y", ring)).contains("x");
        assertThat(AntiAffinity.yieldsTo("z", ring)).contains("y");
        assertThat(AntiAffinity.yieldsTo("a", ring))
                .as("leads to a ring, is none of it")
                .contains("x");
    }

    /** Each job may name another job at random. The jobs are placed in turn, and must soon stop moving. */
    @Test
    void placementsSettleForAnyNames() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        for (int sample = 0; sample < 500; sample++) {
            int jobs = random.nextInt(2, 7);
            Map<String, String> named = new TreeMap<>();
            Map<String, PlacedJob> all = new TreeMap<>();
            Set<String> names = new HashSet<>();
            for (int job = 0; job < jobs; job++) {
                int other = random.nextInt(jobs + 1);
                if (other != job && other < jobs) {
                    named.put("job" + job, "job" + other);
                }
                names.add("job" + job);
                all.put("job" + job, PlacedJob.of("job" + job, ShardingPlan.keys(random.nextInt(1, 3))));
            }
            List<InstanceInfo> instances = new ArrayList<>();
            for (int i = random.nextInt(1, 7); i > 0; i--) {
                instances.add(new InstanceInfo(
                        new JobInstance("i" + i, "host", "", Map.of(), 1),
                        1,
                        InstanceInfo.State.WORKING,
                        false,
                        names,
                        List.of(),
                        Map.of()));
            }
            int rounds = 0;
            boolean moved = true;
            while (moved) {
                assertThat(++rounds).as("seed %s: %s", seed, named).isLessThanOrEqualTo(jobs + 1);
                moved = false;
                for (String name : List.copyOf(all.keySet())) {
                    Set<String> apart = new HashSet<>();
                    AntiAffinity.yieldsTo(name, named)
                            .ifPresent(other ->
                                    apart.addAll(all.get(other).owners().values()));
                    PlacedJob before = all.get(name)
                            .with(it -> it.antiAffinity(named.get(name)))
                            .with(new PlacementContext(Map.of(), Map.of(), apart, null));
                    PlacedJob after = before.after(before.placed(instances, new StickyBalancedStrategy()));
                    moved |= !after.owners().equals(before.owners());
                    all.put(name, after);
                    Set<String> both = new HashSet<>(after.owners().values());
                    both.retainAll(apart);
                    assertThat(both).as("seed %s", seed).isEmpty();
                }
            }
        }
    }
}
