package io.ostraka.bench;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZookeeperRegistry;
import java.time.ZoneId;

/** This library, as an application uses it. */
public final class OstrakaContender implements Contender {
    @Override
    public void schedule(String servers, String namespace, int jobs, int items, String cron, Work work) {
        ZookeeperRegistry registry = ZookeeperRegistry.connect(servers, namespace);
        SimpleJob body = context -> work.run(context.jobName());
        for (int job = 0; job < jobs; job++) {
            JobConfiguration configuration = JobConfiguration.newBuilder(Contender.name(job), items)
                    .schedule(Schedule.cron(cron, ZoneId.of("UTC")))
                    .failover(true)
                    .build();
            new ScheduleJobBootstrap(registry, body, configuration).schedule();
        }
    }
}
