package io.ostraka.bench.compare;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;

/** This library, as an application uses it. */
public final class OstrakaContender implements Contender {
    @Override
    public AutoCloseable join(String servers, String namespace, Duration session, List<RecurringJob> jobs, Body body) {
        ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(servers, namespace)
                .sessionTimeout(session)
                .connect();
        SimpleJob job = context -> body.run(new ItemRun(
                context.jobName(), context.shardingItem(), context.fireTime().toEpochMilli(), context.fencingToken()));
        for (RecurringJob recurring : jobs) {
            JobConfiguration configuration = JobConfiguration.newBuilder(recurring.name(), recurring.items())
                    .schedule(Schedule.cron(recurring.cron(), ZoneOffset.UTC))
                    .failover(true)
                    .build();
            new ScheduleJobBootstrap(registry, job, configuration).schedule();
        }
        return registry;
    }
}
