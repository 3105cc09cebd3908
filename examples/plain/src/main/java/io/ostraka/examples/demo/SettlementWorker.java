package io.ostraka.examples.demo;

import io.ostraka.lite.ZooKeeperRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * One process of the application, with the library and a job. It reports events on its standard output and reads
 * commands from its standard input. It ends when its input ends, because then the demo has ended.
 */
public final class SettlementWorker {
    static final String NAMESPACE = "demo";
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(3);

    static final String HOLD = "hold";
    static final String RELEASE = "release";
    static final String STOP = "stop";

    /**
     * Environment variable with the database's password. It is not an argument, because other users can read a command
     * line.
     */
    static final String PASSWORD = "OSTRAKA_DEMO_PASSWORD";

    private static final int ORPHANED = 3;

    private SettlementWorker() {}

    /** Runs a worker. The arguments are ZooKeeper's servers, the database's URL, and whether the fence is used. */
    public static void main(String[] args) throws IOException {
        var pool = JdbcConnectionPool.create(args[1], OrderDatabase.USER, System.getenv(PASSWORD));
        pool.setMaxConnections(SettleOrders.ITEMS);
        var gate = new Gate();
        var store = new SettlementStore(pool, Boolean.parseBoolean(args[2]));
        var job = new SettleOrders(store, gate, event -> System.out.println(event.line()));

        var registry = ZooKeeperRegistry.newBuilder(args[0], NAMESPACE)
                .sessionTimeout(SESSION_TIMEOUT)
                .connectionTimeout(SESSION_TIMEOUT)
                .connect();
        registry.schedule(job, SettleOrders.CONFIGURATION);

        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            switch (command) {
                case HOLD -> gate.close();
                case RELEASE -> gate.open();
                case STOP -> {
                    registry.close();
                    pool.dispose();
                    return;
                }
                default -> throw new IllegalArgumentException("unknown command: " + command);
            }
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
