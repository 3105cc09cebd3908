package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A tool for operators. From outside the application, it shows a job, pauses the job until tomorrow, and runs one of
 * its items again with other parameters. It connects as an observer, which is not an instance of the application.
 */
public final class OperationsExample {
    private OperationsExample() {}

    /** Runs the example. Needs no arguments. */
    public static void main(String[] args) throws Exception {
        SimpleJob settle = context -> {
            if (context.shardingItem() == 2 && !context.triggerParameters().containsKey("account")) {
                throw new IllegalStateException("no account for branch 2");
            }
        };
        var configuration = JobConfiguration.newBuilder("settle-orders", 3)
                .schedule(Schedule.cron("0 0 3 * * ?"))
                .build();
        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path());
                var job = registry.schedule(settle, configuration);
                var observer = ZooKeeperOperations.connect(registry.servers(), "ostraka")) {
            job.trigger().await(Duration.ofSeconds(30)); // the night run, in which item 2 fails

            Operations operations = observer.operations();
            operations.items("settle-orders", Set.of()).forEach(item -> {
                ItemDetails.Run run = item.run();
                if (run != null) {
                    System.out.println("item " + item.item() + ": " + run.outcome()
                            + (run.error() == null ? "" : ", " + run.error()));
                }
            });

            CommandOptions options = CommandOptions.by("ada").because("branch 2 lacks an account");
            Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
            System.out.println(operations
                    .execute(new Command.Pause("settle-orders", tomorrow), options)
                    .text());
            System.out.println(
                    "state: " + operations.job("settle-orders").summary().state());

            CommandResult again = operations.execute(
                    new Command.Trigger("settle-orders", Set.of("2"), Map.of("account", "4711"), Duration.ZERO),
                    options.withRequestId("branch-2-again")); // a repeated call with this id would start nothing
            System.out.println(again.text());
            while (!ended(operations, "branch-2-again")) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            System.out.println("outcomes: "
                    + operations
                            .run("settle-orders", "branch-2-again")
                            .orElseThrow()
                            .outcomes());
        }
    }

    private static boolean ended(Operations operations, String runId) {
        return operations
                .run("settle-orders", runId)
                .filter(run -> run.state() == RunDetails.State.ENDED)
                .isPresent();
    }
}
