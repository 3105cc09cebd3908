package io.ostraka.bench;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZookeeperRegistry;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** This library, as an application uses it. */
public final class OstrakaContender implements Contender {
    private static final long GLANCE_MILLIS = 5;

    private @Nullable ZookeeperRegistry registry;

    @Override
    public void schedule(Load load, Work work) throws InterruptedException {
        ZookeeperRegistry connected = ZookeeperRegistry.connect(load.servers(), load.namespace());
        registry = connected;
        SimpleJob body = context -> work.run(context.jobName(), context.shardingItem());
        for (int job = 0; job < load.jobs(); job++) {
            JobConfiguration.Builder configuration = JobConfiguration.newBuilder(Contender.name(job), load.items())
                    .failover(true);
            switch (load.when()) {
                case ON_DEMAND ->
                    new OneOffJobBootstrap(
                            connected,
                            body,
                            configuration.schedule(Schedule.onDemand()).build());
                case BACK_TO_BACK ->
                    schedule(connected, body, configuration, Schedule.continuous(Duration.ofSeconds(1)));
                default -> schedule(connected, body, configuration, Schedule.cron(load.when(), ZoneId.of("UTC")));
            }
        }
        Health health = connected.health();
        while (!health.good() || health.jobs().size() < load.jobs()) {
            Thread.sleep(GLANCE_MILLIS);
            health = connected.health();
        }
    }

    private static void schedule(
            ZookeeperRegistry registry, SimpleJob body, JobConfiguration.Builder configuration, Schedule schedule) {
        new ScheduleJobBootstrap(
                        registry, body, configuration.schedule(schedule).build())
                .schedule();
    }

    @Override
    public void trigger(String job) {
        Objects.requireNonNull(registry).trigger(job, Map.of());
    }

    @Override
    public void close() {
        Objects.requireNonNull(registry).close();
    }
}
