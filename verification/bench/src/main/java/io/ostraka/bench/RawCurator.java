package io.ostraka.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;

/**
 * The bare ZooKeeper client, which sends the requests of a claim. This gives a lower limit for every scheduler that
 * coordinates in this way.
 */
final class RawCurator implements AutoCloseable {
    /** Data of about the size of an item's record. */
    private static final byte[] RECORD = new byte[400];

    private static final byte[] RUNNING = new byte[150];
    private static final int DELETED_AT_ONCE = 1000;

    private final CuratorFramework client;

    RawCurator(String servers) {
        client = CuratorFrameworkFactory.newClient(servers, new RetryOneTime(100));
        client.start();
    }

    /** Deletes all nodes of a server. */
    static void deleteAll(String servers) {
        try (RawCurator raw = new RawCurator(servers)) {
            raw.deleteAll();
        } catch (Exception e) {
            throw new IllegalStateException("deleting what was written", e);
        }
    }

    private void deleteAll() throws Exception {
        for (String child : client.getChildren().forPath("/")) {
            if (!child.equals("zookeeper")) {
                ZooKeeper zookeeper = client.getZookeeperClient().getZooKeeper();
                ZKUtil.deleteRecursive(zookeeper, "/" + child, DELETED_AT_ONCE);
            }
        }
    }

    /**
     * Returns, for each measurement, the median time in milliseconds of a transaction that is as large as a claim. The
     * transaction makes two checks; for each item it writes the record and creates an ephemeral node. A second
     * transaction, whose time is not measured, reverses the first, as a completion does.
     *
     * @param warmUps number of transactions before each measurement
     * @param times number of measured transactions in each measurement
     */
    private List<Double> transactionMillis(String root, int items, List<Integer> warmUps, int times, Duration apart)
            throws Exception {
        List<CuratorOp> claim = new ArrayList<>();
        List<CuratorOp> completion = new ArrayList<>();
        client.create().forPath(root);
        claim.add(client.transactionOp().check().forPath("/"));
        claim.add(client.transactionOp().check().forPath(root));
        for (int item = 0; item < items; item++) {
            String record = root + "/" + item;
            client.create().forPath(record, RECORD);
            claim.add(client.transactionOp().setData().forPath(record, RECORD));
            claim.add(client.transactionOp()
                    .create()
                    .withMode(CreateMode.EPHEMERAL)
                    .forPath(record + "/running", RUNNING));
            completion.add(client.transactionOp().setData().forPath(record, RECORD));
            completion.add(client.transactionOp().delete().forPath(record + "/running"));
        }
        List<Double> medians = new ArrayList<>();
        int done = 0;
        for (int warmUp : warmUps) {
            List<Double> millis = new ArrayList<>();
            for (; done < warmUp + times; done++) {
                Thread.sleep(apart.toMillis());
                long begun = System.nanoTime();
                client.transaction().forOperations(claim);
                if (done >= warmUp) {
                    millis.add((System.nanoTime() - begun) / 1e6);
                }
                client.transaction().forOperations(completion);
            }
            medians.add(Results.median(millis));
        }
        return medians;
    }

    /**
     * Returns the number of single writes per second that the server accepts from one client. The client always has
     * {@code underWay} writes in flight.
     */
    double writesASecond(String path, int underWay, Duration length) throws Exception {
        client.create().forPath(path, RECORD);
        Semaphore room = new Semaphore(underWay);
        LongAdder done = new LongAdder();
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < length.toNanos()) {
            room.acquire();
            client.setData()
                    .inBackground((of, event) -> {
                        if (event.getResultCode() == KeeperException.Code.OK.intValue()) {
                            done.increment();
                        }
                        room.release();
                    })
                    .forPath(path, RECORD);
        }
        room.acquire(underWay);
        return done.sum() / ((System.nanoTime() - begun) / 1e9);
    }

    @Override
    public void close() {
        client.close();
    }

    /** A process that sends only the requests of a claim and a completion, and prints the time of one transaction. */
    static final class Program {
        private Program() {}

        /**
         * Runs the program. The arguments are the servers, a path, an item count, the number of measured transactions,
         * the milliseconds between them, and the number of warm-ups before each measurement.
         */
        public static void main(String[] arguments) throws Exception {
            try (RawCurator raw = new RawCurator(arguments[0])) {
                List<Integer> warmUps =
                        Stream.of(arguments).skip(5).map(Integer::valueOf).toList();
                raw.transactionMillis(
                                arguments[1],
                                Integer.parseInt(arguments[2]),
                                warmUps,
                                Integer.parseInt(arguments[3]),
                                Duration.ofMillis(Long.parseLong(arguments[4])))
                        .forEach(System.out::println);
            }
        }
    }
}
