package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.ShardingPlan;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the progress of a fire fits into one node and one transaction, even with the largest number of items and
 * with any outcomes.
 */
class FireNodeTest {
    private static final int MOST_BYTES = 400_000;

    private static FireProgress read(byte[] data) {
        Node node = new Node("/jobs/job/fires/run", data, new Node.Stat(0, 1, 1, Instant.EPOCH, Instant.EPOCH, 0));
        return Codec.decode(node, FireProgress.class).value();
    }

    private static void assertFitsAndComesBack(FireProgress fire) {
        byte[] data = Codec.encode(fire);
        assertThat(data).hasSizeLessThan(MOST_BYTES);
        assertThat(read(data)).isEqualTo(fire);
    }

    @Tag("slow")
    @Test
    void mostItemsFitWithAnyOutcomes() {
        SplittableRandom random = new SplittableRandom(1);
        List<ItemOutcome> all = List.of(ItemOutcome.values());
        for (int outcomes = 1; outcomes <= all.size(); outcomes++) {
            Set<String> left = new TreeSet<>();
            Map<String, ItemOutcome> ended = new TreeMap<>();
            for (String item : ShardingPlan.keys(JobConfiguration.MAX_ITEMS)) {
                int which = random.nextInt(outcomes + 1);
                if (which == outcomes) {
                    left.add(item);
                } else {
                    ended.put(item, all.get(which));
                }
            }
            assertFitsAndComesBack(new FireProgress("t-1", left, ended, null));
        }
    }

    @Test
    void mostItemsFitAtTheBeginningAndAtTheEnd() {
        Set<String> items = Set.copyOf(ShardingPlan.keys(JobConfiguration.MAX_ITEMS));
        FireProgress begun = FireProgress.scheduled(
                items, new FireProgress.Once(FireProgress.Phase.BEGINNING, "host@1@2", 1, Instant.EPOCH, 100_000, 1));
        assertFitsAndComesBack(begun);
        Map<String, ItemOutcome> ended = new TreeMap<>();
        items.forEach(item -> ended.put(item, ItemOutcome.SUCCEEDED));
        assertFitsAndComesBack(begun.with(ended));
    }

    @Test
    void fewItemsAreWrittenAsPlainText() {
        FireProgress fire = new FireProgress("t-1", Set.of("1"), Map.of("0", ItemOutcome.FAILED), null);
        assertThat(new String(Codec.encode(fire), StandardCharsets.UTF_8))
                .contains("\"left\":[\"1\"]", "\"outcomes\":{\"0\":\"FAILED\"}");
    }

    @Test
    void rejectsDamagedPackedItems() {
        for (String items : List.of(
                "",
                "null",
                "[]",
                "{}",
                "{\"left\":\"0-999999\",\"outcomes\":{}}",
                "{\"left\":\"0\",\"outcomes\":{\"WELL\":\"1\"}}",
                "{\"left\":\"0\",\"outcomes\":{\"FAILED\":\"1\",\"SUCCEEDED\":\"1\"}}",
                "{\"left\":\"../x\",\"outcomes\":{}}")) {
            JsonObject json = new JsonObject();
            json.addProperty("format", Codec.FORMAT);
            json.add("left", new com.google.gson.JsonArray());
            json.add("outcomes", new JsonObject());
            json.addProperty("itemsGzip", CompressedText.pack(items));
            byte[] data = json.toString().getBytes(StandardCharsets.UTF_8);
            assertThatThrownBy(() -> read(data)).as(items).isInstanceOf(Codec.Unreadable.class);
        }
    }
}
