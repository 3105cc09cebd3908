package io.ostraka.examples;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A job whose fires fail until its bank is open. The leader sends one alarm when the problem begins and one when it
 * ends. The label {@code owner} of the job determines the handler that receives the alarms.
 */
public final class AlarmExample {
    private static volatile boolean bankOpen;

    private AlarmExample() {}

    /** Runs the example. Needs no arguments. */
    public static void main(String[] args) throws Exception {
        BlockingQueue<Alarm> pager = new LinkedBlockingQueue<>(); // an application would call a pager or a chat system
        AlarmHandler handler = pager::put;
        SimpleJob pay = context -> {
            if (context.shardingItem() == 1 && !bankOpen) {
                throw new IllegalStateException("the bank is closed");
            }
        };
        var configuration = JobConfiguration.newBuilder("pay-suppliers", 3)
                .schedule(Schedule.fixedRate(Duration.ofMillis(500)))
                .labels(Map.of("owner", "payments", "runbook", "https://wiki.example.org/pay-suppliers"))
                .alarms(AlarmPolicy.defaults().failuresInARow(2).after(AlarmKind.MISSED, Duration.ofMinutes(1)))
                .build();

        try (var directory = TemporaryDirectory.create();
                var server = ZooKeeperRegistry.embedded(directory.path());
                var registry = ZooKeeperRegistry.newBuilder(server.servers(), "shop")
                        .alarmHandler(handler)
                        .connect();
                var job = registry.schedule(pay, configuration)) {
            Alarm begun = pager.take();
            System.out.println("page " + begun.labels().get("owner") + ": " + begun.line());
            System.out.println(
                    "items: " + begun.items() + ", runbook: " + begun.labels().get("runbook"));
            registry.operations()
                    .alarms()
                    .forEach(alarm -> System.out.println("lasts: " + alarm.kind() + " of job " + alarm.job()));

            bankOpen = true;
            Alarm ended = pager.take();
            System.out.println("page " + ended.labels().get("owner") + ": " + ended.kind() + " has ended");
            System.out.println("same alarm: " + ended.id().equals(begun.id()));
            Set<String> keys = Set.of(begun.idempotencyKey(), ended.idempotencyKey());
            System.out.println("different messages: " + keys.size());
            job.close();
        }
    }
}
