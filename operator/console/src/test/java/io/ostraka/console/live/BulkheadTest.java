package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Operations;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BulkheadTest {
    private final CountDownLatch waiting = new CountDownLatch(2);
    private final CountDownLatch release = new CountDownLatch(1);

    /** Operations whose list of jobs waits, and whose export fails. */
    private Operations slow() {
        return (Operations) Proxy.newProxyInstance(
                Operations.class.getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("jobs")) {
                        waiting.countDown();
                        release.await();
                        return List.of();
                    }
                    throw new IllegalArgumentException("not accepted");
                });
    }

    @Test
    @Timeout(30)
    void furtherRequestsFailUntilOneEnds() throws Exception {
        Operations operations = Bulkhead.around("orders", slow(), 2);
        List<CompletableFuture<Integer>> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(
                    CompletableFuture.supplyAsync(() -> operations.jobs().size(), task -> new Thread(task).start()));
        }
        waiting.await();

        assertThatThrownBy(operations::jobs)
                .isInstanceOf(CoordinationException.class)
                .hasMessageContaining("'orders' has too many waiting requests");
        release.countDown();
        running.forEach(each -> assertThat(each.join()).isZero());
        assertThat(operations.jobs()).isEmpty();
    }

    @Test
    void exceptionsOfTheOperationsAreUnchanged() {
        Operations operations = Bulkhead.around("orders", slow(), 1);

        for (int i = 0; i < 2; i++) { // the place is free again
            assertThatThrownBy(operations::export)
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessage("not accepted");
        }
    }
}
