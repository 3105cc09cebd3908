package io.ostraka.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostedItemTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Session PRESENT = new Session("host@1@2", 2, Duration.ofSeconds(15), List.of("host@1@1"));

    /** As long as this session lives nobody else can claim the item: who holds its node must do something about it. */
    @Test
    void aClaimOfAnEarlierIdWhoseNodeThisSessionHoldsIsHandedOver() {
        HostedItem hold = new HostedItem("0");

        HostedItem.Finding finding = hold.take(claimedBy("host@1@1", 2), PRESENT);

        assertThat(finding).isEqualTo(HostedItem.Finding.ORPHANED);
        assertThat(hold.runningNode).isTrue();
    }

    @Test
    void aClaimOfAnotherSessionThatHoldsItsNodeIsWaitedFor() {
        HostedItem hold = new HostedItem("0");

        HostedItem.Finding finding = hold.take(claimedBy("host@1@1", 1), PRESENT);

        assertThat(finding).isEqualTo(HostedItem.Finding.SETTLED);
        assertThat(hold.phase).isEqualTo(HostedItem.Phase.WAITING);
    }

    /** The next session finds it and takes its node away; given up before that, the node would stay. */
    @Test
    void aClaimOfThisIdThatWentOutInTheNextSessionIsLeftToThatOne() {
        HostedItem hold = new HostedItem("0");

        HostedItem.Finding finding = hold.take(claimedBy("host@1@2", 3), PRESENT);

        assertThat(finding).isEqualTo(HostedItem.Finding.SETTLED);
        assertThat(hold.phase).isEqualTo(HostedItem.Phase.WAITING);
    }

    private static ItemView claimedBy(String owner, long holder) {
        Run claim = new Run(Fire.scheduled(NOW), 1, 1, 0, owner, "nonce", NOW, NOW, 1, 0, 0);
        ItemRecord record = ItemRecord.fresh(NOW, 1, 1).claimed(claim, NOW, List.of());
        Versioned<ItemRecord> node = new Versioned<>(record, 1, 1, 2, NOW, new JsonObject());
        return new ItemView("0", node, holder, true, null, false, null);
    }
}
