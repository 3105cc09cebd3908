package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;

/** Clients that write continuously, each in successive sessions that leave ephemeral nodes behind. */
final class Writers implements AutoCloseable {
    private static final int WRITES_A_SESSION = 30;

    private final List<Thread> threads = new ArrayList<>();
    private final Semaphore writes = new Semaphore(0);
    private volatile boolean closing;

    Writers(String servers, int number) {
        for (int writer = 0; writer < number; writer++) {
            String path = "/app/" + writer;
            Thread thread = new Thread(() -> write(servers, path));
            thread.start();
            threads.add(thread);
        }
    }

    private void write(String servers, String path) {
        while (!closing) {
            try (Client client = new Client(servers)) {
                client.write(path, "");
                for (int i = 0; i < WRITES_A_SESSION && !closing; i++) {
                    writeOnce(client.curator, path, "x".repeat(i * 200).getBytes());
                    writes.release();
                }
            } catch (Exception e) {
                // the connection was lost; the loop continues with the next session
            }
        }
    }

    private static void writeOnce(CuratorFramework curator, String path, byte[] data) throws Exception {
        curator.create().withMode(CreateMode.EPHEMERAL_SEQUENTIAL).forPath(path + "/of-session-", data);
        curator.transaction()
                .forOperations(
                        curator.transactionOp().setData().forPath(path, data),
                        curator.transactionOp()
                                .create()
                                .withMode(CreateMode.PERSISTENT_SEQUENTIAL)
                                .forPath(path + "/kept-", new byte[0]));
    }

    /** Waits until this many further writes have been answered. */
    void awaitMore(int number) throws InterruptedException {
        writes.drainPermits();
        assertThat(writes.tryAcquire(number, 2, TimeUnit.MINUTES))
                .as("writes answered")
                .isTrue();
    }

    @Override
    public void close() throws InterruptedException {
        closing = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
