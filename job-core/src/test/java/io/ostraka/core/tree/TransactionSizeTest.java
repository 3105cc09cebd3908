package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.SystemClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Tests that a server accepts the largest transactions on items. The records are those of runs that fail with long
 * texts, because a record contains the errors of two runs.
 */
class TransactionSizeTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00.123Z");
    private static final String JOB = "settle-the-orders-of-all-shops";
    private static final String OWNER = "settlement-7.shops.example.internal@12345@10000a1b2c3d4e5";
    private static final String ERROR = "x".repeat(600);
    private static final int ROOT_LENGTH = 20;
    private static final int ACL_BYTES = 50;
    private static final int MOST = ItemTransaction.mostMoves(0);

    private final List<NodeOp> sent = new ArrayList<>();
    private final TreeItems items = new TreeItems(new Nodes(
            (NodeStore) Proxy.newProxyInstance(
                    NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                        ((List<?>) arguments[0]).forEach(operation -> sent.add((NodeOp) operation));
                        return CompletableFuture.completedStage(new Outcome.Committed(1, AT));
                    }),
            new SystemClock()));

    private static Versioned<ItemRecord> versioned(ItemRecord record) {
        return new Versioned<>(record, 1, 1, 1, AT, new JsonObject());
    }

    private static ItemRecord claimed(ItemRecord record, int number) {
        Instant at = AT.plusSeconds(number);
        Run run = new Run(
                Fire.scheduled(at), MOST, 1, 0, OWNER, OWNER + "/" + JOB + "/" + 1_000_000, at, at, 1_000_000, 1, 0);
        return record.claimed(run, at.minusSeconds(1), List.of());
    }

    private static ItemRecord failed(ItemRecord record) {
        return record.returned(1, Long.MAX_VALUE)
                .completed(AT, ItemOutcome.FAILED, ERROR)
                .pausing(Duration.ofMillis(1_234));
    }

    private static ItemRecord running() {
        return claimed(failed(claimed(ItemRecord.fresh(AT, 1_000_000_000, 1), 1)), 2);
    }

    private void commit(List<Move> moves) {
        items.commit(new ItemTransaction(JOB, new Guard(OWNER, 1, null), moves, null));
        assertThat(NodeRequests.bytes(sent, ROOT_LENGTH, ACL_BYTES)).isLessThan(NodeRequests.MAX_BYTES);
    }

    @Test
    void claimOfFiveHundredItemsFits() {
        Versioned<ItemRecord> from = versioned(failed(running()));
        List<Move> moves = new ArrayList<>();
        for (int item = 0; item < MOST; item++) {
            moves.add(new Move("" + item, from, claimed(from.value(), 3), Running.CREATE, true));
        }
        commit(moves);
    }

    @Test
    void completionOfFiveHundredItemsFits() {
        Versioned<ItemRecord> from = versioned(running());
        List<Move> moves = new ArrayList<>();
        for (int item = 0; item < MOST; item++) {
            moves.add(new Move("" + item, from, failed(from.value()), Running.DELETE, false));
        }
        commit(moves);
    }

    @Test
    void completionsWithNextClaimsFit() {
        Versioned<ItemRecord> from = versioned(running());
        ItemRecord ended = failed(from.value());
        List<Move> moves = new ArrayList<>();
        for (int item = 0; item < MOST; item++) {
            moves.add(new Move("" + item, from, claimed(ended, 3), Running.RENEW, false));
        }
        commit(moves);
    }
}
