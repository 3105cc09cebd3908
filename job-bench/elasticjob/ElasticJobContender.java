package io.ostraka.bench.elasticjob;

import io.ostraka.bench.Contender;
import java.util.HashMap;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.OneOffJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.internal.schedule.JobRegistry;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/**
 * ElasticJob, with its defaults, and failover on as here: one registry for all jobs, one bootstrap a job. It is compiled by
 * bin/bench against ElasticJob's own dependencies.
 */
public class ElasticJobContender implements Contender {
    private final boolean safe;
    private final Map<String, OneOffJobBootstrap> onDemand = new HashMap<>();
    private ZookeeperRegistryCenter registry;

    public ElasticJobContender() {
        this(true);
    }

    /** Safe is with monitorExecution and failover; otherwise without both. */
    ElasticJobContender(boolean safe) {
        this.safe = safe;
    }

    @Override
    public void schedule(Load load, Work work) {
        registry = new ZookeeperRegistryCenter(new ZookeeperConfiguration(load.servers(), load.namespace()));
        registry.init();
        boolean again = load.when().equals(BACK_TO_BACK);
        SimpleJob body = context -> {
            work.run(context.getJobName(), context.getShardingItem());
            if (again && context.getShardingItem() == 0) {
                next(context.getJobName());
            }
        };
        for (int job = 0; job < load.jobs(); job++) {
            String name = Contender.name(job);
            JobConfiguration.Builder configuration = JobConfiguration.newBuilder(name, load.items())
                    .monitorExecution(safe)
                    .failover(safe);
            if (again || load.when().equals(ON_DEMAND)) {
                onDemand.put(name, new OneOffJobBootstrap(registry, body, configuration.build()));
            } else {
                new ScheduleJobBootstrap(
                                registry, body, configuration.cron(load.when()).build())
                        .schedule();
            }
            if (again) {
                next(name);
            }
        }
    }

    /** Its scheduler has one thread a job: what is asked for while the job runs begins as soon as it has ended. */
    private static void next(String job) {
        JobRegistry.getInstance().getJobScheduleController(job).triggerJob();
    }

    @Override
    public void trigger(String job) {
        onDemand.get(job).execute();
    }

    @Override
    public void close() {
        registry.close();
    }
}
