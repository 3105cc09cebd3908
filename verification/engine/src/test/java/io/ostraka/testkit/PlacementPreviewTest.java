package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.InstanceMatch;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that the dry run of an override predicts the moves that the leader then makes. */
@ExtendWith(OstrakaExtension.class)
class PlacementPreviewTest {
    private static final CommandOptions ANN = CommandOptions.by("ann");

    private static JobConfiguration.Builder settle() {
        return JobConfiguration.newBuilder("settle", 4).schedule(Schedule.fixedRate(Duration.ofMinutes(1)));
    }

    private static Map<String, String> owners(Operations operations) {
        Map<String, String> owners = new TreeMap<>();
        for (ItemDetails item : operations.items("settle", Set.of())) {
            owners.put(item.item(), Objects.requireNonNullElse(item.owner(), ""));
        }
        return owners;
    }

    private static Command set(String field, Object value) {
        Map<String, Object> fields = new HashMap<>();
        fields.put(field, value);
        return new Command.SetOverride("settle", fields, null);
    }

    /** Asserts that the dry run names each item that moves, with its new owner, and no other item. */
    private static void assertPredicted(TestCluster cluster, Operations operations, Command command) {
        Map<String, String> before = owners(operations);
        String predicted = operations.execute(command, ANN.asDryRun()).text();
        operations.execute(command, ANN);
        cluster.advance(Duration.ofSeconds(10));
        Map<String, String> after = owners(operations);

        assertThat(after).as(command.toString()).isNotEqualTo(before);
        after.forEach((item, owner) -> {
            String line = predicted
                    .lines()
                    .flatMap(text -> Stream.of(text.split("; ")))
                    .filter(text -> text.matches(".*: (\\d, )*" + item + "(, \\d)*"))
                    .findFirst()
                    .orElse("");
            if (owner.equals(before.get(item))) {
                assertThat(line).as("%s of %s", item, predicted).isEmpty();
            } else {
                assertThat(line)
                        .as("%s of %s", item, predicted)
                        .contains(owner.isEmpty() ? "lose" : "to " + JobInstance.name(owner));
            }
        });
    }

    @Test
    void requirementThatIsSetClearedAndTakenBackIsPredicted(@Instances(2) TestCluster cluster) {
        String first = cluster.instances().get(0).id();
        cluster.schedule(
                context -> {}, settle().requiredInstances("host=host-0").build());
        Operations operations = cluster.observe();
        assertThat(owners(operations)).containsValue(first);

        assertPredicted(cluster, operations, set("requiredInstances", null));
        assertPredicted(cluster, operations, new Command.RemoveOverride("settle", Set.of("requiredInstances")));
        assertPredicted(cluster, operations, set("requiredInstances", InstanceMatch.parse("host=host-1")));
    }

    @Test
    void itemsWithoutAnInstanceArePredicted(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {}, settle().requiredInstances("host=host-9").build());
        Operations operations = cluster.observe();

        assertPredicted(cluster, operations, set("requiredInstances", null));
        assertPredicted(cluster, operations, new Command.RemoveOverride("settle", Set.of()));
        assertPredicted(cluster, operations, set("requiredInstances", null));
        assertPredicted(cluster, operations, set("maxItemsPerInstance", 1));
        assertPredicted(cluster, operations, new Command.RemoveOverride("settle", Set.of("maxItemsPerInstance")));
    }

    @Test
    void antiAffinityThatIsSetClearedAndTakenBackIsPredicted(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("other", 1)
                        .requiredInstances("host=host-1")
                        .build());
        cluster.schedule(context -> {}, settle().build());
        Operations operations = cluster.observe();

        assertPredicted(cluster, operations, set("antiAffinity", "other"));
        assertPredicted(cluster, operations, set("antiAffinity", null));
        assertPredicted(cluster, operations, set("antiAffinity", "other"));
        assertPredicted(cluster, operations, new Command.RemoveOverride("settle", Set.of("antiAffinity")));
    }
}
