package io.ostraka.lite.process;

import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A worker process that hosts jobs, holds their runs until the test releases them, and prints events. It holds every
 * scheduled run, and those triggered runs that the trigger's parameters name. A cancelled run is still held, like code
 * that is slow to return.
 *
 * <p>The worker reads one command per line: {@code execute <request> <job> <items to hold, with commas>} or {@code
 * release <job> <item> <number of runs>}. The process ends as soon as its standard input ends, so it does not outlive
 * its test.
 */
final class HoldingWorker implements SimpleJob {
    static final String NAMESPACE = "processes";
    /** Detail of a {@link Event.Kind#CANCELLED} run that might still be its item's owner. */
    static final String OWNED = "owned";

    private static final String HOLD = "hold";

    private final Duration sessionTimeout;
    private final Map<String, Semaphore> released = new ConcurrentHashMap<>();
    private final Map<String, OneOffJobBootstrap> onDemand = new ConcurrentHashMap<>();

    private HoldingWorker(Duration sessionTimeout) {
        this.sessionTimeout = sessionTimeout;
    }

    /** Runs the worker. Arguments: the servers, the session timeout in milliseconds, and the jobs. */
    public static void main(String[] args) throws IOException {
        HoldingWorker worker = new HoldingWorker(Duration.ofMillis(Long.parseLong(args[1])));
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(args[0], NAMESPACE)
                .sessionTimeout(worker.sessionTimeout)
                .connect();
        for (String argument : Arrays.asList(args).subList(2, args.length)) {
            worker.host(registry, HostedJob.parse(argument));
        }
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            worker.execute(line.split(" ", -1));
        }
        Runtime.getRuntime().halt(1);
    }

    private void host(ZooKeeperRegistry registry, HostedJob job) {
        if (job.scheduled()) {
            new ScheduleJobBootstrap(registry, this, job.configuration()).schedule();
        } else {
            onDemand.put(job.name(), new OneOffJobBootstrap(registry, this, job.configuration()));
        }
    }

    private void execute(String[] command) {
        if (command[0].equals("execute")) {
            String run =
                    onDemand.get(command[2]).execute(Map.of(HOLD, command[3])).runId();
            print(Event.of("", Event.Kind.TRIGGERED, command[2], "", run, command[1]));
        } else {
            gate(command[1], command[2]).release(Integer.parseInt(command[3]));
        }
    }

    @Override
    public void execute(ShardingContext context) {
        print(Event.of(Event.Kind.STARTED, context, context.instanceId()));
        String item = Integer.toString(context.shardingItem());
        String held = context.triggerParameters().get(HOLD);
        if (held == null || List.of(held.split(",", -1)).contains(item)) {
            hold(context, gate(context.jobName(), item));
        }
        print(Event.of(Event.Kind.ENDED, context, context.isCancelled() ? Runs.CANCELLED : ""));
    }

    private void hold(ShardingContext context, Semaphore gate) {
        long checked = System.nanoTime();
        try {
            while (!gate.tryAcquire(10, TimeUnit.MILLISECONDS)) {
                boolean wasPaused = System.nanoTime() - checked > sessionTimeout.toNanos();
                if (ownership(context).equals(OWNED) && wasPaused) {
                    print(Event.of(Event.Kind.DECEIVED, context, ""));
                }
                checked = System.nanoTime();
            }
        } catch (InterruptedException e) {
            print(Event.of(Event.Kind.CANCELLED, context, ownership(context)));
            gate.acquireUninterruptibly();
        }
    }

    private static String ownership(ShardingContext context) {
        try {
            context.checkOwnership();
            return OWNED;
        } catch (OwnershipLostException e) {
            return "lost";
        }
    }

    private Semaphore gate(String job, String item) {
        return released.computeIfAbsent(job + "/" + item, key -> new Semaphore(0));
    }

    private static void print(Event event) {
        System.out.println(event.line());
    }
}
