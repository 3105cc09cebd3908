package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.ScriptJob;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A job that runs a shell script. The script finds its item in its environment, and the trigger's parameters as JSON on
 * its standard input. A nonzero exit code reports a failure; the log then shows the output of the script.
 */
public final class ScriptExample {
    private static final String SCRIPT =
            """
            month=$(sed 's/.*"month":"\\([^"]*\\)".*/\\1/')
            echo "counting the stock of $OSTRAKA_SHARDING_ITEM_PARAMETER for $month"
            if [ "$OSTRAKA_SHARDING_ITEM_PARAMETER" = Cairo ]; then
                echo "the stock of Cairo is closed" >&2
                exit 3
            fi
            echo "$month of $OSTRAKA_SHARDING_ITEM_PARAMETER, by token $OSTRAKA_FENCING_TOKEN" > "$OSTRAKA_SHARDING_ITEM"
            """;

    private ScriptExample() {}

    /** Runs the job once and prints the results of the script and the outcomes of the items. */
    public static void main(String[] args) throws Exception {
        var configuration = JobConfiguration.newBuilder("count-stock", 3)
                .shardingItemParameters("0=Athens,1=Berlin,2=Cairo")
                .build();

        try (var directory = TemporaryDirectory.create();
                var zooKeeper = EmbeddedZooKeeper.start(directory.path(), 0);
                var registry = ZooKeeperRegistry.newBuilder(zooKeeper.connectString(), "stock")
                        .allowScriptJobs()
                        .connect()) {
            Path results = Files.createDirectory(directory.path().resolve("results"));
            var script = ScriptJob.command("sh", "-c", SCRIPT)
                    .workingDirectory(results)
                    .passEnvironment("LANG")
                    .build();
            var job = registry.oneOff(script, configuration);
            var outcomes = job.trigger(Map.of("month", "2026-01")).await(Duration.ofSeconds(30));

            System.out.print(Files.readString(results.resolve("0")) + Files.readString(results.resolve("1")));
            System.out.println("outcomes by item: " + outcomes);
        }
    }
}
