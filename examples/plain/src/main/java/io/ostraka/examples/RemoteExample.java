package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.examples.platform.ReferencePlatform;
import io.ostraka.examples.platform.SecretFiles;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.remote.RemoteConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A job whose schedule comes from a platform over HTTP. A change on the platform needs no restart. */
public final class RemoteExample {
    private static final BlockingQueue<String> RUNS = new LinkedBlockingQueue<>();

    private RemoteExample() {}

    /** Runs the example. Needs no arguments. */
    public static void main(String[] args) throws Exception {
        SimpleJob settle = context -> RUNS.add(context.jobParameter());
        var own = JobConfiguration.newBuilder("settle", 1)
                .schedule(Schedule.cron("0 0 2 * * ?")) // in effect as long as the platform has never answered
                .build();

        try (var directory = TemporaryDirectory.create();
                var server = ZooKeeperRegistry.embedded(directory.path().resolve("zookeeper"))) {
            Path files = Files.createDirectory(directory.path().resolve("platform"));
            var keys = SecretFiles.create(files, "shop", "test");
            publish(files, 1, "PT1S", "slowly");
            try (var platform = ReferencePlatform.start(files);
                    var remote = RemoteConfiguration.newBuilder(platform.address(), "shop")
                            .environment("test")
                            .key(keys.keyId(), Secret.of("${file:" + keys.key() + "}"))
                            .trust(keys.signingId(), keys.publicKey())
                            .pollInterval(Duration.ofSeconds(1)) // 30 s by default
                            .directory(directory.path().resolve("answers"))
                            .load(List.of(own));
                    var registry = remote.registry(server.servers(), "shop").connect();
                    var job = remote.host(registry, settle, "settle")) {
                remote.follow(registry);
                show(remote);
                await("slowly");

                publish(files, 2, "PT0.2S", "quickly");
                await("quickly");
                show(remote);
                await("quickly");
                job.close();
            }
        }
    }

    private static void publish(Path files, int revision, String every, String parameter) throws IOException {
        Path file = Files.createDirectories(files.resolve("shop")).resolve("test.json");
        Files.writeString(
                file,
                """
                {"revision": %s, "jobs": {"settle": {
                    "schedule": {"type": "fixedRate", "period": "%s"}, "jobParameter": "%s"}}}
                """
                        .formatted(revision, every, parameter));
    }

    private static void show(RemoteConfiguration remote) {
        var settle = remote.configuration("settle");
        Duration every = ((Schedule.FixedRate) settle.schedule()).period();
        System.out.println("revision " + settle.revision() + ": every " + every + ", set by the platform: "
                + new TreeSet<>(remote.fields("settle")));
    }

    private static void await(String parameter) throws InterruptedException {
        while (!RUNS.take().equals(parameter)) {
            // this run still belongs to the previous revision
        }
        System.out.println("a run with the parameter '" + parameter + "'");
    }
}
