package io.ostraka.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the demo's checks detect errors; otherwise a passed check would have no meaning. */
class AuditTest {
    private static final int ORDERS = 16;
    private static final int ITEM = 1;

    private final JdbcDataSource source = new JdbcDataSource();
    private final SettlementStore store = new SettlementStore(source, true);
    private final SettlementStore unfenced = new SettlementStore(source, false);
    private final Audit audit = new Audit(source);
    private java.sql.Connection keeper;

    @BeforeEach
    void createDatabase() throws SQLException {
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        keeper = source.getConnection();
        OrderDatabase.createSchema(source);
        OrderDatabase.seed(source, ORDERS);
    }

    @AfterEach
    void dropDatabase() throws SQLException {
        keeper.close();
    }

    private static Fence fence(int item, long token) {
        return new Fence(SettleOrders.NAME, item, token, 1);
    }

    private void settleAll() throws SQLException, LateWriteException {
        for (int item = 0; item < SettleOrders.ITEMS; item++) {
            store.settle(store.unsettled(item, ORDERS), fence(item, 7));
        }
    }

    @Test
    void approvesWhatWasSettledOnce() throws Exception {
        settleAll();

        assertThat(audit.settledExactlyOnce(ORDERS))
                .isEqualTo(new Audit.Finding(true, "settled exactly once: 16 of 16"));
        assertThat(audit.tokensOnlyRise().holds()).isTrue();
    }

    @Test
    void findsAnOrderThatIsMissing() throws Exception {
        store.settle(store.unsettled(ITEM, 1), fence(ITEM, 7));

        Audit.Finding finding = audit.settledExactlyOnce(ORDERS);

        assertThat(finding.holds()).isFalse();
        assertThat(finding.text()).contains("exactly once: 1 of 16").contains("never: 15");
    }

    @Test
    void findsAnOrderThatWasSettledTwice() throws Exception {
        List<SettlementStore.Order> readBefore = unfenced.unsettled(ITEM, 1);
        settleAll();
        unfenced.settle(readBefore, fence(ITEM, 6));

        Audit.Finding finding = audit.settledExactlyOnce(ORDERS);

        assertThat(finding.holds()).isFalse();
        assertThat(finding.text()).contains("exactly once: 15 of 16").contains("more than once: 1,");
        assertThat(audit.tokensOnlyRise().holds()).isFalse();
    }

    @Test
    void findsAnOrderThatNeverCameIn() throws Exception {
        settleAll();

        assertThat(audit.settledExactlyOnce(ORDERS + 1).holds()).isFalse();
    }

    @Test
    void findsAWrongAmount() throws Exception {
        List<SettlementStore.Order> orders = store.unsettled(ITEM, 1);
        store.settle(List.of(new SettlementStore.Order(orders.get(0).id(), 1)), fence(ITEM, 7));
        settleAll();

        assertThat(audit.settledExactlyOnce(ORDERS).holds()).isFalse();
    }

    @Test
    void aLateWriteIsRefusedAndChangesNothing() throws Exception {
        List<SettlementStore.Order> readBefore = store.unsettled(ITEM, 1);
        store.enter(fence(ITEM, 8));

        assertThatExceptionOfType(LateWriteException.class)
                .isThrownBy(() -> store.settle(readBefore, fence(ITEM, 7)))
                .withMessageContaining(
                        "refused: job 'settle-orders' item 1: the item has a later owner; the token of this run is 7");
        assertThat(store.unsettled(ITEM, 1)).isEqualTo(readBefore);
        assertThat(audit.lateWrite(ITEM, 7, true, "test").holds()).isTrue();
        assertThat(audit.lateWrite(ITEM, 7, false, "test").holds()).isFalse();
        assertThat(audit.lateWrite(ITEM, 8, true, "test").holds()).isFalse();
    }

    @Test
    void aWriteOfAnEarlierGenerationIsRefused() throws Exception {
        store.enter(new Fence(SettleOrders.NAME, 0, 20, 2));

        assertThatExceptionOfType(LateWriteException.class)
                .isThrownBy(() -> store.enter(new Fence(SettleOrders.NAME, ITEM, 19, 1)));
    }

    @Test
    void nothingSettledIsNoProof() throws Exception {
        assertThat(audit.tokensOnlyRise().holds()).isFalse();
    }
}
