package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Versioned;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class DecodedNodesTest {
    private static final String PATH = "/jobs/settle/override";
    private static final String CONTENT =
            "{\"format\":4,\"removed\":false,\"disabledItems\":[],\"shardingTotalCount\":3,\"later\":7}";

    private final DecodedNodes nodes = new DecodedNodes();

    private static Node node(String path, int version, long zxid, String text) {
        return new Node(
                path,
                text.getBytes(StandardCharsets.UTF_8),
                new Node.Stat(version, 1, zxid, Instant.EPOCH, Instant.ofEpochSecond(zxid), 0));
    }

    private Versioned<JobOverride> read(int version, long zxid, String text) {
        return nodes.decode(node(PATH, version, zxid, text), JobOverride.class);
    }

    @Test
    void equalContentGivesTheSameValueWithTheVersionOfTheNode() {
        Versioned<JobOverride> first = read(3, 10, CONTENT);
        Versioned<JobOverride> again = read(5, 12, CONTENT);

        assertThat(again.value()).isSameAs(first.value());
        assertThat(again.version()).isEqualTo(5);
        assertThat(again.mzxid()).isEqualTo(12);
        assertThat(again.modified()).isEqualTo(Instant.ofEpochSecond(12));
        assertThat(again.unknown().get("later").getAsInt()).isEqualTo(7);
        assertThat(again).isEqualTo(Codec.decode(node(PATH, 5, 12, CONTENT), JobOverride.class));
    }

    /** After a restored backup, a server numbers other writes with the same transactions and versions. */
    @Test
    void otherContentWithTheSameVersionAndTransactionIsRead() {
        Versioned<JobOverride> lost = read(3, 10, CONTENT);
        Versioned<JobOverride> restored =
                read(3, 10, CONTENT.replace("shardingTotalCount\":3", "shardingTotalCount\":4"));

        assertThat(lost.value().shardingTotalCount()).isEqualTo(3);
        assertThat(restored.value().shardingTotalCount()).isEqualTo(4);
    }

    @Test
    void damagedContentIsRefusedAlthoughTheNodeWasReadBefore() {
        Versioned<JobOverride> before = read(3, 10, CONTENT);

        assertThatThrownBy(() -> read(4, 11, "{\"format\":4,")).isInstanceOf(Codec.Unreadable.class);
        assertThatThrownBy(() -> read(NodeOp.ANY_VERSION, 12, CONTENT)).hasMessageContaining("its version is -1");
        assertThat(read(6, 13, CONTENT).value()).isSameAs(before.value());
    }

    @Test
    void contentOfAnotherTypeIsDecoded() {
        Versioned<JobOverride> override = read(3, 10, CONTENT);

        assertThatThrownBy(() -> nodes.decode(node(PATH, 3, 10, CONTENT), FireProgress.class))
                .isInstanceOf(Codec.Unreadable.class);
        assertThat(override.value()).isNotNull();
    }

    @Test
    void valuesThatNothingUsesAreForgotten() {
        Versioned<JobOverride> used = read(3, 10, CONTENT);
        for (int i = 0; i < 100; i++) {
            nodes.decode(node("/jobs/job-" + i + "/override", 0, 1, CONTENT), JobOverride.class);
        }
        while (nodes.size() > 2) { // the value in use, and the one that the call below has just decoded
            System.gc();
            nodes.decode(node("/jobs/last/override", 0, 1, CONTENT), JobOverride.class);
        }

        assertThat(read(4, 11, CONTENT).value()).isSameAs(used.value());
        Reference.reachabilityFence(used);
    }
}
