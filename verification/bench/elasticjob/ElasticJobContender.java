package io.ostraka.bench.elasticjob;

import io.ostraka.bench.Contender;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.api.JobConfiguration;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.OneOffJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.internal.schedule.JobRegistry;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/**
 * ElasticJob with its defaults, and failover on like this library: one registry for all jobs, one bootstrap a job. It passes
 * neither a fire time nor a token to its code. bin/bench compiles this class against ElasticJob's own dependencies.
 */
public class ElasticJobContender implements Contender {
    private final boolean safe;
    private final Map<String, OneOffJobBootstrap> onDemand = new HashMap<>();
    private final List<ScheduleJobBootstrap> scheduled = new ArrayList<>();
    private ZookeeperRegistryCenter registry;

    public ElasticJobContender() {
        this(true);
    }

    /** With safe, monitorExecution and failover are on; otherwise both are off. */
    ElasticJobContender(boolean safe) {
        this.safe = safe;
    }

    @Override
    public void schedule(Load load, Work work) {
        ZookeeperConfiguration zookeeper = new ZookeeperConfiguration(load.servers(), load.namespace());
        if (load.session() != null) {
            zookeeper.setSessionTimeoutMilliseconds((int) load.session().toMillis());
        }
        registry = new ZookeeperRegistryCenter(zookeeper);
        registry.init();
        for (Job job : load.jobs()) {
            schedule(job, work);
        }
    }

    private void schedule(Job job, Work work) {
        boolean again = job.when().equals(BACK_TO_BACK);
        SimpleJob body = context -> {
            try {
                work.run(new ItemRun(context.getJobName(), context.getShardingItem()));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            if (again && context.getShardingItem() == 0) {
                next(context.getJobName());
            }
        };
        JobConfiguration.Builder configuration = JobConfiguration.newBuilder(job.name(), job.items())
                .monitorExecution(safe)
                .failover(safe);
        if (again || job.when().equals(ON_DEMAND)) {
            onDemand.put(job.name(), new OneOffJobBootstrap(registry, body, configuration.build()));
        } else {
            ScheduleJobBootstrap bootstrap = new ScheduleJobBootstrap(
                    registry, body, configuration.cron(job.when()).build());
            bootstrap.schedule();
            scheduled.add(bootstrap);
        }
        if (again) {
            next(job.name());
        }
    }

    /** Requests the next run. The scheduler has one thread a job, so the run begins as soon as the present one has ended. */
    private static void next(String job) {
        JobRegistry.getInstance().getJobScheduleController(job).triggerJob();
    }

    @Override
    public void trigger(String job) {
        onDemand.get(job).execute();
    }

    @Override
    public void leave() {
        scheduled.forEach(ScheduleJobBootstrap::shutdown);
        onDemand.values().forEach(OneOffJobBootstrap::shutdown);
        close();
    }

    @Override
    public void close() {
        registry.close();
    }
}
