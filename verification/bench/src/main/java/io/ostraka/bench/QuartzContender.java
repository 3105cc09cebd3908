package io.ostraka.bench;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.quartz.CronScheduleBuilder;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * Quartz alone, in memory and without coordination, which gives the lower limit of the costs. Quartz has no items, so
 * each item is a Quartz job of its own. Its name is the number of the item, and its group is the name of the job.
 */
public final class QuartzContender implements Contender {
    /** Number of threads: the default number of concurrent runs of an instance of this library. */
    private static final int THREADS = 256;

    private @Nullable Scheduler scheduler;
    private final Map<String, Integer> items = new HashMap<>();

    @Override
    public void schedule(Load load, Work work) throws SchedulerException {
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", load.namespace());
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", Integer.toString(THREADS));
        Scheduler quartz = new StdSchedulerFactory(settings).getScheduler();
        scheduler = quartz;
        Set<String> again = ConcurrentHashMap.newKeySet();
        quartz.setJobFactory((fired, of) -> context -> run(context, work, again));
        quartz.start();
        for (Contender.Job job : load.jobs()) {
            items.put(job.name(), job.items());
            if (job.when().equals(BACK_TO_BACK)) {
                again.add(job.name());
            }
            for (int item = 0; item < job.items(); item++) {
                JobDetail detail = JobBuilder.newJob(org.quartz.Job.class)
                        .withIdentity(Integer.toString(item), job.name())
                        .storeDurably()
                        .build();
                if (again.contains(job.name()) || job.when().equals(ON_DEMAND)) {
                    quartz.addJob(detail, false);
                } else {
                    quartz.scheduleJob(
                            detail,
                            TriggerBuilder.newTrigger()
                                    .withSchedule(CronScheduleBuilder.cronSchedule(job.when()))
                                    .build());
                }
            }
            if (again.contains(job.name())) {
                trigger(job.name());
            }
        }
    }

    private static void run(JobExecutionContext context, Work work, Set<String> again) throws JobExecutionException {
        JobKey key = context.getJobDetail().getKey();
        try {
            work.run(new ItemRun(key.getGroup(), Integer.parseInt(key.getName())));
            if (again.contains(key.getGroup())) {
                context.getScheduler().triggerJob(key);
            }
        } catch (Exception e) {
            throw new JobExecutionException(e);
        }
    }

    @Override
    public void trigger(String job) throws SchedulerException {
        for (int item = 0; item < items.getOrDefault(job, 0); item++) {
            Objects.requireNonNull(scheduler).triggerJob(JobKey.jobKey(Integer.toString(item), job));
        }
    }

    @Override
    public void close() throws SchedulerException {
        Objects.requireNonNull(scheduler).shutdown();
    }
}
