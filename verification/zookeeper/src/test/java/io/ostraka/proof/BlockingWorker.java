package io.ostraka.proof;

import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;

/** A process of the application: it prints each item that it runs, and never ends a run that should be held. */
final class BlockingWorker {
    private static final Duration SESSION = Duration.ofSeconds(4);

    private BlockingWorker() {}

    /** Runs the worker until the process is killed or its standard input ends. Argument: the servers. */
    public static void main(String[] arguments) throws Exception {
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(arguments[0], SurvivorTakesOverTest.NAMESPACE)
                .sessionTimeout(SESSION)
                .connect();
        SimpleJob job = context -> {
            System.out.println(SurvivorTakesOverTest.line(context));
            if (SurvivorTakesOverTest.holds(context)) {
                Thread.sleep(Long.MAX_VALUE);
            }
        };
        registry.oneOff(job, SurvivorTakesOverTest.SETTLE);
        while (System.in.read() >= 0) {}
        Runtime.getRuntime().halt(1);
    }
}
