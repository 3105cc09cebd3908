package io.ostraka.bench;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Runs this library in the way in which an application would. The process may contain several instances, to measure how
 * the costs grow with their number.
 */
public class OstrakaContender implements Contender {
    /**
     * Pause between two reads of the health. With a thousand jobs, more frequent reads would take a noticeable part of
     * a start-up.
     */
    private static final long GLANCE_MILLIS = 20;

    private final List<ZooKeeperRegistry> registries = new ArrayList<>();

    @Override
    public void schedule(Load load, Work work) throws InterruptedException {
        SimpleJob body = context -> work.run(new ItemRun(
                context.jobName(), context.shardingItem(), context.fireTime().toEpochMilli(), context.fencingToken()));
        for (int instance = 0; instance < load.instances(); instance++) {
            ZooKeeperRegistry registry = connect(load);
            registries.add(registry);
            load.jobs().forEach(job -> schedule(registry, job, body));
        }
        for (ZooKeeperRegistry registry : registries) {
            awaitAll(registry, load.jobs().size());
        }
        load.jobs().stream()
                .filter(job -> job.when().equals(TRIGGERED))
                .forEach(job -> triggerAgain(registries.get(0), job.name()));
    }

    /** Returns the builder of a registry. */
    RegistryBuilder registry(Load load) {
        return ZooKeeperRegistry.newBuilder(load.servers(), load.namespace());
    }

    /** Returns the configuration of a job without its schedule. */
    JobConfiguration.Builder configuration(Job job) {
        return JobConfiguration.newBuilder(job.name(), job.items()).failover(true);
    }

    private ZooKeeperRegistry connect(Load load) {
        RegistryBuilder registry = registry(load);
        Duration session = load.session();
        return (session == null ? registry : registry.sessionTimeout(session)).connect();
    }

    private void schedule(ZooKeeperRegistry registry, Job job, SimpleJob body) {
        JobConfiguration.Builder configuration = configuration(job);
        switch (job.when()) {
            case ON_DEMAND, TRIGGERED -> onDemand(registry, body, configuration);
            case BACK_TO_BACK -> schedule(registry, body, configuration, Schedule.continuous(Duration.ofSeconds(1)));
            default -> schedule(registry, body, configuration, Schedule.cron(job.when(), ZoneId.of("UTC")));
        }
    }

    private static OneOffJobBootstrap onDemand(
            ZooKeeperRegistry registry, SimpleJob body, JobConfiguration.Builder configuration) {
        return new OneOffJobBootstrap(
                registry, body, configuration.schedule(Schedule.onDemand()).build());
    }

    private static void schedule(
            ZooKeeperRegistry registry, SimpleJob body, JobConfiguration.Builder configuration, Schedule schedule) {
        new ScheduleJobBootstrap(
                        registry, body, configuration.schedule(schedule).build())
                .schedule();
    }

    private static void triggerAgain(ZooKeeperRegistry registry, String job) {
        registry.trigger(job, Map.of()).completion().thenRun(() -> triggerAgain(registry, job));
    }

    private static void awaitAll(ZooKeeperRegistry registry, int jobs) throws InterruptedException {
        Health health = registry.health();
        while (!health.good() || health.jobs().size() < jobs) {
            Thread.sleep(GLANCE_MILLIS);
            health = registry.health();
        }
    }

    @Override
    public void comeAndGo(int from, int to) throws InterruptedException {
        ZooKeeperRegistry registry = registries.get(0);
        int others = registry.health().jobs().size();
        List<OneOffJobBootstrap> created = IntStream.range(from, to)
                .mapToObj(job -> onDemand(registry, context -> {}, JobConfiguration.newBuilder(Contender.name(job), 1)))
                .toList();
        awaitAll(registry, others + created.size());
        created.parallelStream().forEach(OneOffJobBootstrap::close);
        IntStream.range(from, to).parallel().forEach(job -> registry.operations()
                .execute(new Command.Remove(Contender.name(job)), CommandOptions.by("bench")));
    }

    @Override
    public void purge(int from, int to) {
        IntStream.range(from, to).parallel().forEach(job -> purge(Contender.name(job)));
    }

    /**
     * Purges a job. Repeats the request, because the leader refuses it until it has seen that no instance hosts the
     * job.
     */
    private void purge(String job) {
        for (boolean purged = false; !purged; ) {
            try {
                registries.get(0).operations().execute(new Command.Purge(job), CommandOptions.by("bench"));
                purged = true;
            } catch (CoordinationException e) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(GLANCE_MILLIS));
            }
        }
    }

    @Override
    public void trigger(String job) {
        registries.get(0).trigger(job, Map.of());
    }

    @Override
    public void close() {
        registries.forEach(ZooKeeperRegistry::close);
    }
}
