package io.ostraka.lite.security;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Secret;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.Tls;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperSecurity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * A process that uses right and wrong secrets of every kind, and prints as much as possible: each {@code toString},
 * each exception, and the logs of all libraries at their finest level. The output must not contain a secret.
 */
final class SecretKeeper {
    private SecretKeeper() {}

    /**
     * Runs the process. Arguments: the addresses of the plain servers and of the secure servers, the trust store, and
     * the key store.
     */
    public static void main(String[] args) throws Exception {
        Secret password = Secret.of("${env:ZK_PASSWORD}");
        Secret wrong = Secret.of("${env:WRONG_PASSWORD}");
        Secret stores = Secret.of("${env:STORE_PASSWORD}");
        Tls tls = Tls.trusting(Path.of(args[2]), stores).withKey(Path.of(args[3]), stores);
        Tls spoiled = Tls.trusting(Path.of(args[2]), wrong);

        print(password);
        print(tls);
        print(ZooKeeperConfig.of(args[0], "telling")
                .withSecurity(ZooKeeperSecurity.NONE
                        .withDigest("orders", password)
                        .withSasl("Orders")
                        .withTls(tls)));
        work(ZooKeeperRegistry.newBuilder(args[0], "digest").digest("orders", password));
        work(ZooKeeperRegistry.newBuilder(args[0], "sasl").sasl("Orders"));
        work(ZooKeeperRegistry.newBuilder(args[1], "tls").tls(tls).digest("orders", password));

        refused(ZooKeeperRegistry.newBuilder(args[0], "digest").digest("orders", wrong));
        refused(ZooKeeperRegistry.newBuilder(args[0], "sasl").sasl("Wrong"));
        refused(ZooKeeperRegistry.newBuilder(args[1], "tls").tls(spoiled));
        refused(ZooKeeperRegistry.newBuilder(args[1], "tls").digest("orders", password));
        try {
            Secret.of(System.getenv("WRONG_PASSWORD"));
        } catch (IllegalArgumentException e) {
            e.printStackTrace();
        }
        System.err.println("all printed");
    }

    private static void work(RegistryBuilder builder) throws Exception {
        print(builder);
        try (ZooKeeperRegistry registry =
                builder.failFast(Duration.ofSeconds(60)).connect()) {
            OneOffJobBootstrap job = new OneOffJobBootstrap(
                    registry,
                    (SimpleJob) context -> context.saveCheckpoint(new byte[] {1}),
                    JobConfiguration.newBuilder("job", 2).build());
            print(job.execute(Map.of("some", "parameter")).await(Duration.ofSeconds(60)));
            print(registry);
            print(registry.health());
        }
    }

    private static void refused(RegistryBuilder builder) {
        try (ZooKeeperRegistry registry =
                builder.failFast(Duration.ofSeconds(1)).connect()) {
            print("never so: " + registry.health());
        } catch (CoordinationException e) {
            e.printStackTrace();
        }
    }

    private static void print(Object something) {
        System.err.println(something);
    }
}
