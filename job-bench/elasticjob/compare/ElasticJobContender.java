package io.ostraka.bench.compare.elasticjob;

import io.ostraka.bench.compare.Contender;
import io.ostraka.bench.compare.RecurringJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/**
 * ElasticJob, with its defaults, and failover on as there: one registry for all jobs, one bootstrap a job. It tells its
 * code neither a fire time nor a token. It is compiled by bin/bench against ElasticJob's own dependencies.
 */
public final class ElasticJobContender implements Contender {
    @Override
    public AutoCloseable join(
            String servers, String namespace, Duration session, List<RecurringJob> jobs, Body body) {
        ZookeeperConfiguration zookeeper = new ZookeeperConfiguration(servers, namespace);
        zookeeper.setSessionTimeoutMilliseconds((int) session.toMillis());
        ZookeeperRegistryCenter registry = new ZookeeperRegistryCenter(zookeeper);
        registry.init();
        SimpleJob job = context -> {
            try {
                body.run(new ItemRun(context.getJobName(), context.getShardingItem(), 0, 0));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        List<ScheduleJobBootstrap> bootstraps = new ArrayList<>();
        for (RecurringJob recurring : jobs) {
            JobConfiguration configuration = JobConfiguration.newBuilder(recurring.name(), recurring.items())
                    .cron(recurring.cron())
                    .failover(true)
                    .build();
            ScheduleJobBootstrap bootstrap = new ScheduleJobBootstrap(registry, job, configuration);
            bootstrap.schedule();
            bootstraps.add(bootstrap);
        }
        return () -> {
            bootstraps.forEach(ScheduleJobBootstrap::shutdown);
            registry.close();
        };
    }
}
