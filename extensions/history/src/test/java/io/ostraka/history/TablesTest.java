package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.fixtures.Eventually;
import io.ostraka.history.jdbc.SchemaMode;
import io.ostraka.history.jdbc.TablePrefix;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class TablesTest {
    private final AtomicInteger attempts = new AtomicInteger();
    private final CountDownLatch answer = new CountDownLatch(1);

    /** A database that does not answer until the latch is open, and then refuses. */
    private final DataSource silent = (DataSource) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                attempts.incrementAndGet();
                answer.await();
                throw new SQLException("refused");
            });

    @Test
    void callersShareAnAttemptThatFails() throws Exception {
        Tables tables = new Tables(silent, TablePrefix.DEFAULT, SchemaMode.CREATE);
        FutureTask<Object> first = new FutureTask<>(tables::prepared);
        FutureTask<Object> second = new FutureTask<>(tables::prepared);
        Thread one = new Thread(first);
        one.start();
        Eventually.holds("the first attempt is under way", () -> attempts.get() == 1);
        Thread two = new Thread(second);
        two.start();
        Eventually.holds(
                "the second caller waits",
                () -> two.getState() == Thread.State.WAITING || two.getState() == Thread.State.BLOCKED);
        answer.countDown();

        assertThatThrownBy(first::get).hasRootCauseMessage("refused");
        assertThatThrownBy(second::get).hasRootCauseMessage("refused").hasCauseInstanceOf(SQLException.class);
        assertThat(attempts).hasValue(1);
        assertThatThrownBy(tables::prepared).as("another attempt").hasMessage("refused");
        assertThat(attempts).hasValue(2);
    }
}
