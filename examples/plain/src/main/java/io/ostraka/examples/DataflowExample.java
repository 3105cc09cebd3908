package io.ostraka.examples;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * A streaming job that follows a log: it fetches and processes batch after batch until there is no new entry, and saves
 * its position as a checkpoint. The checkpoint belongs to the item: the next fire continues at this position, even on
 * another instance.
 */
public final class DataflowExample {
    private static final int BATCH = 4;

    private DataflowExample() {}

    private record FollowLog(List<String> entries, CountDownLatch unread) implements DataflowJob<String> {
        @Override
        public List<String> fetchData(ShardingContext context) {
            int position = position(context);
            return entries.subList(position, Math.min(position + BATCH, entries.size()));
        }

        @Override
        public void processData(ShardingContext context, List<String> batch) {
            int position = position(context);
            System.out.printf("fire %s, from position %2d: %s%n", context.fireTime(), position, batch);
            // saved after the processing: if this process dies in between, another run processes the batch again
            context.saveCheckpoint(ByteBuffer.allocate(Integer.BYTES)
                    .putInt(position + batch.size())
                    .array());
            batch.forEach(entry -> unread.countDown());
        }

        private static int position(ShardingContext context) {
            return context.checkpoint()
                    .map(bytes -> ByteBuffer.wrap(bytes).getInt())
                    .orElse(0);
        }
    }

    /** Lets one instance read ten entries and end. Then more entries are written, and another instance reads them. */
    public static void main(String[] args) throws Exception {
        var entries = new CopyOnWriteArrayList<>(entries(1, 10));
        try (var directory = TemporaryDirectory.create();
                var zooKeeper = EmbeddedZooKeeper.start(directory.path(), 0)) {
            follow(zooKeeper, entries, 10);
            System.out.println("the instance has ended; five entries are written, and another begins");
            entries.addAll(entries(11, 15));
            follow(zooKeeper, entries, 5);
        }
    }

    /** Runs an instance until it has read the given number of entries. */
    private static void follow(EmbeddedZooKeeper zooKeeper, List<String> entries, int count) throws Exception {
        var unread = new CountDownLatch(count);
        var configuration = JobConfiguration.newBuilder("follow-log", 1)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
                .streaming(true)
                .build();
        try (var registry = ZooKeeperRegistry.connect(zooKeeper.connectString(), "logs")) {
            registry.schedule(new FollowLog(entries, unread), configuration);
            unread.await();
        }
    }

    private static List<String> entries(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> "entry-" + i).toList();
    }
}
