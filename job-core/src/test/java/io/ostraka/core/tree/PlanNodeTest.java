package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy.Request;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.placement.BuiltInStrategies;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the node of a plan, with any number and distribution of items. */
class PlanNodeTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    private static ShardingPlan plan(int items, int instances) {
        List<JobInstance> living = IntStream.range(0, instances)
                .mapToObj(i -> new JobInstance(
                        "settlement-%04d.eu.example.com@4711@%016x".formatted(i, i * 7919L), "host", "", Map.of(), 1))
                .toList();
        List<String> keys = ShardingPlan.keys(items);
        Map<String, List<String>> placed = BuiltInStrategies.all()
                .get(ShardingStrategies.CONSISTENT_HASH)
                .shard(new Request("settle", living, keys, Map.of()));
        return ShardingPlan.of(items, 1, Scope.SHARDED, Schedule.onDemand(), AT, 1)
                .madeFrom(1, 0, 0)
                .with(placed, PlacementReasons.NONE);
    }

    private static Node node(byte[] data) {
        return new Node("/jobs/settle/sharding", data, new Node.Stat(0, 1, 1, AT, AT, 0));
    }

    private static void comesBack(ShardingPlan plan, byte[] data) {
        Versioned<ShardingPlan> read = Codec.decode(node(data), ShardingPlan.class);
        assertThat(read.value()).isEqualTo(plan);
        assertThat(read.unknown().isEmpty()).isTrue();
    }

    @Test
    void timeToWhichFiresAreSkippedComesBackAndIsMissingWithoutOne() {
        ShardingPlan plan = plan(2, 1);

        assertThat(new String(Codec.encode(plan), StandardCharsets.UTF_8)).doesNotContain("skipTo");
        ShardingPlan skipping = plan.skippingTo(AT.plusSeconds(5));
        comesBack(skipping, Codec.encode(skipping));
    }

    @Test
    void mostItemsScatteredOverThousandInstancesFitOneNode() {
        ShardingPlan plan = plan(JobConfiguration.MAX_ITEMS, 1_000);
        byte[] data = Codec.encode(plan);

        assertThat(data).hasSizeLessThan(512 << 10);
        comesBack(plan, data);
    }

    @Test
    void mostUnplacedItemsFitOneNode() {
        Map<String, List<String>> unplaced = Map.of(
                "one reason",
                        ShardingPlan.keys(JobConfiguration.MAX_ITEMS).stream()
                                .filter(item -> item.hashCode() % 2 == 0)
                                .toList(),
                "another",
                        ShardingPlan.keys(JobConfiguration.MAX_ITEMS).stream()
                                .filter(item -> item.hashCode() % 2 != 0)
                                .toList());
        ShardingPlan plan =
                plan(JobConfiguration.MAX_ITEMS, 1).with(Map.of(), new PlacementReasons(null, "", Map.of(), unplaced));
        byte[] data = Codec.encode(plan);

        assertThat(data).hasSizeLessThan(512 << 10);
        comesBack(plan, data);
    }

    @Test
    void smallPlanIsWrittenAsPlainText() {
        ShardingPlan plan = plan(1_000, 10);
        byte[] data = Codec.encode(plan);

        assertThat(new String(data, StandardCharsets.UTF_8))
                .contains("settlement-0007")
                .doesNotContain("Gzip");
        comesBack(plan, data);
    }

    @Test
    void zonesThatLookLikeNumbersSurviveRoundTrip() {
        List<String> keys = Stream.of("10-20", "1-2", "7", "8", "007", "-", "")
                .map(ScopedItems::zoneKey)
                .toList();
        ShardingPlan plan = plan(1, 1).with(Map.of("a@1@1", keys), PlacementReasons.NONE);

        comesBack(plan, Codec.encode(plan));
    }

    @Test
    void rejectsDamagedPackedItems() {
        assertThatThrownBy(() -> read("{\"items\":{\"a@1@1\":\"0-1\",\"b@1@1\":\"1\"}}"))
                .hasMessageContaining("plan gives item 1 to both a@1@1 and b@1@1");
        assertThatThrownBy(() -> read("{\"items\":{\"a@1@1\":\"../x\"}}")).hasMessageContaining("item is '../x'");
        assertThatThrownBy(() -> read("{}")).hasMessageContaining("can't be read as ShardingPlan");
        assertThatThrownBy(() -> read("")).hasMessageContaining("itemsGzip is empty");
        assertThatThrownBy(() -> read("[".repeat(1 << 20))).hasMessageContaining("can't be read as ShardingPlan");
        String plain = new String(Codec.encode(plan(2, 1)), StandardCharsets.UTF_8);
        byte[] foreign = plain.replace(
                        "\"items\"",
                        "\"itemsGzip\":\"" + Base64.getEncoder().encodeToString(new byte[9]) + "\",\"items\"")
                .getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Codec.decode(node(foreign), ShardingPlan.class))
                .hasMessageContaining("can't be read as ShardingPlan");
    }

    /** Short texts that would take a gigabyte of memory. */
    @Test
    void rejectsMoreItemsAndValuesThanAJobHasBeforeItCreatesThem() {
        String many = IntStream.range(0, 1_000)
                .mapToObj(instance -> "\"a" + instance + "\":\"0-99999\"")
                .collect(Collectors.joining(",", "{\"items\":{", "}}"));
        String more = "more than " + JobConfiguration.MAX_ITEMS + " items";
        assertThatThrownBy(() -> read(many)).hasMessageContaining(more);
        assertThatThrownBy(() -> read("{\"items\":{\"a\":\"" + "0-999999,".repeat(1_000) + "\"}}"))
                .hasMessageContaining(more);
        String values = "{\"items\":{},\"more\":[" + "{},".repeat(5_000_000) + "{}]}";
        assertThatThrownBy(() -> read(values)).hasMessageContaining("itemsGzip holds more than 400000 values");
    }

    private static void read(String packed) {
        String plain = new String(Codec.encode(plan(2, 1)), StandardCharsets.UTF_8);
        byte[] data = plain.replace("\"items\"", "\"itemsGzip\":\"" + CompressedText.pack(packed) + "\",\"items\"")
                .getBytes(StandardCharsets.UTF_8);
        Codec.decode(node(data), ShardingPlan.class);
    }
}
