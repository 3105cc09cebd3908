package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.txn.ErrorTxn;
import org.apache.zookeeper.txn.TxnHeader;
import org.junit.jupiter.api.Test;

/** Tests that the committed proposals of three logs are found. A proposal is written as {@code epoch.counter}. */
class CommittedTest {
    private static String committed(String... logs) {
        Committed committed = new Committed();
        Stream.of(logs).map(CommittedTest::log).forEach(committed::add);
        return committed.all().stream()
                .map(transaction -> transaction.epoch() + "." + transaction.counter())
                .collect(Collectors.joining(" "));
    }

    private static List<LoggedTransaction> log(String proposals) {
        return Arrays.stream(proposals.split(" "))
                .filter(proposal -> !proposal.isEmpty())
                .map(proposal -> {
                    String[] parts = proposal.split("\\.");
                    long zxid = Long.parseLong(parts[0]) << 32 | Long.parseLong(parts[1]);
                    return Logged.of(zxid, OpCode.createSession, null);
                })
                .toList();
    }

    @Test
    void proposalLoggedByMajorityIsCommitted() {
        assertThat(committed("1.1 1.2", "1.1 1.2", "1.1")).isEqualTo("1.1 1.2");
    }

    @Test
    void proposalLoggedByOneServerIsNotCommitted() {
        assertThat(committed("1.1 1.2", "1.1", "1.1")).isEqualTo("1.1");
    }

    @Test
    void proposalOfOneServerThatLedNextIsCommitted() {
        assertThat(committed("1.1 1.2 2.1", "1.1 2.1", "1.1 2.1")).isEqualTo("1.1 1.2 2.1");
    }

    @Test
    void proposalOnlyInLogOfDeadLeaderIsNotCommitted() {
        assertThat(committed("1.1 1.2", "1.1 2.1", "1.1 2.1")).isEqualTo("1.1 2.1");
    }

    @Test
    void uncommittedProposalMayStayInLogAfterSnapshot() {
        assertThat(committed("1.1 1.2 2.3", "1.1 2.1 2.2 2.3", "1.1 2.1 2.2 2.3"))
                .isEqualTo("1.1 2.1 2.2 2.3");
        // no proposal between the snapshot and the next leader
        assertThat(committed("1.1 1.2 3.1", "1.1 2.1 3.1", "1.1 2.1 3.1")).isEqualTo("1.1 2.1 3.1");
    }

    @Test
    void transactionsWithinSnapshotComeFromOtherLogs() {
        assertThat(committed("1.1 2.1", "1.1 1.2 1.3 2.1", "1.1 1.2 1.3 2.1")).isEqualTo("1.1 1.2 1.3 2.1");
        assertThat(committed("2.2", "1.1 1.2 2.1 2.2", "1.1 1.2")).isEqualTo("1.1 1.2 2.1 2.2");
    }

    @Test
    void epochWithoutCommitLeavesNothing() {
        assertThat(committed("1.1 2.1", "1.1 3.1", "1.1 3.1")).isEqualTo("1.1 3.1");
    }

    @Test
    void leaderWithoutFollowersDoesNotChangeEarlierEpochs() {
        assertThat(committed("1.1 1.2 3.1", "1.1 2.1", "1.1 3.1")).isEqualTo("1.1 1.2 3.1");
    }

    @Test
    void contradictingLogsAreRefused() {
        Committed committed = new Committed();
        committed.add(log("1.1 1.2"));
        LoggedTransaction other =
                new LoggedTransaction(new TxnHeader(8, 0, 1L << 32 | 2, 0, OpCode.createSession), null);

        assertThatThrownBy(() -> committed.add(List.of(other)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("two logs differ");
    }

    @Test
    void failedTransactionMayDifferBetweenLogs() {
        Committed committed = new Committed();
        committed.add(List.of(Logged.of(1L << 32 | 1, OpCode.error, new ErrorTxn(-101))));
        committed.add(List.of(Logged.of(1L << 32 | 1, OpCode.error, null)));

        assertThat(committed.all()).hasSize(1);
    }

    @Test
    void logsWithGapAreRefused() {
        assertThatThrownBy(() -> committed("1.2", "1.2", "1.2"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no log contains the transaction committed before");
        assertThatThrownBy(() -> committed("1.1 1.3", "1.1 1.3", "1.1 1.3"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no log contains the transaction committed before");
    }
}
