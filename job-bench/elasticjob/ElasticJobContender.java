package io.ostraka.bench.elasticjob;

import io.ostraka.bench.Contender;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/**
 * ElasticJob, with its defaults, and failover on as there: one registry for all jobs, one bootstrap a job. It is compiled
 * by bin/bench against ElasticJob's own dependencies.
 */
public final class ElasticJobContender implements Contender {
    @Override
    public void schedule(String servers, String namespace, int jobs, int items, String cron, Work work) {
        ZookeeperRegistryCenter registry = new ZookeeperRegistryCenter(new ZookeeperConfiguration(servers, namespace));
        registry.init();
        SimpleJob body = context -> work.run(context.getJobName());
        for (int job = 0; job < jobs; job++) {
            JobConfiguration configuration = JobConfiguration.newBuilder(Contender.name(job), items)
                    .cron(cron)
                    .failover(true)
                    .build();
            new ScheduleJobBootstrap(registry, body, configuration).schedule();
        }
    }
}
