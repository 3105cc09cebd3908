package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.Tasks;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A run that uses child tasks. It books the entries of one account strictly in order, and different accounts in
 * parallel. Each booking has a time limit. The run ends when all tasks have ended.
 */
public final class TasksExample {
    private record Booking(String account, int amount) {}

    private static final List<Booking> BOOKINGS = List.of(
            new Booking("ada", 100),
            new Booking("bob", 70),
            new Booking("ada", -30),
            new Booking("ada", -50),
            new Booking("bob", -70),
            new Booking("eve", 15));

    private TasksExample() {}

    private record Book(Map<String, String> accounts) implements SimpleJob {
        @Override
        public void execute(ShardingContext context) {
            Tasks tasks = context.tasks().within(Duration.ofSeconds(5));
            for (Booking booking : BOOKINGS) {
                tasks.inOrder(booking.account()).submit(() -> {
                    Thread.sleep(10); // simulates the time that a booking takes
                    accounts.merge(booking.account(), "" + booking.amount(), (all, next) -> all + " " + next);
                });
            }
            tasks.join(); // only because the next line prints the results
            accounts.forEach((account, amounts) -> System.out.println(account + ": " + amounts));
        }
    }

    /** Runs the job once. If the bookings of an account ran in another order, the account would be overdrawn. */
    public static void main(String[] args) throws Exception {
        var configuration = JobConfiguration.newBuilder("book", 1).build();

        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path());
                var job = registry.oneOff(new Book(new ConcurrentHashMap<>()), configuration)) {
            var outcomes = job.trigger(Map.of()).await(Duration.ofSeconds(30));
            System.out.println("outcomes by item: " + outcomes);
        }
    }
}
