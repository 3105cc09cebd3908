package io.ostraka.bench;

import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * Quartz alone, in memory: no coordination at all, which is what there is to be lost. An item is a job of its own, named by
 * its number in the group of its job, since Quartz knows none.
 */
public final class QuartzContender implements Contender {
    /** As many as an instance of this library runs at once by default. */
    private static final int THREADS = 256;

    private @Nullable Scheduler scheduler;
    private int items;

    @Override
    public void schedule(Load load, Work work) throws SchedulerException {
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", load.namespace());
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", Integer.toString(THREADS));
        Scheduler quartz = new StdSchedulerFactory(settings).getScheduler();
        scheduler = quartz;
        items = load.items();
        boolean again = load.when().equals(BACK_TO_BACK);
        quartz.setJobFactory((fired, of) -> context -> run(context, work, again));
        quartz.start();
        for (int job = 0; job < load.jobs(); job++) {
            for (int item = 0; item < items; item++) {
                JobDetail detail = JobBuilder.newJob(Job.class)
                        .withIdentity(Integer.toString(item), Contender.name(job))
                        .storeDurably()
                        .build();
                if (again || load.when().equals(ON_DEMAND)) {
                    quartz.addJob(detail, false);
                } else {
                    quartz.scheduleJob(
                            detail,
                            TriggerBuilder.newTrigger()
                                    .withSchedule(CronScheduleBuilder.cronSchedule(load.when()))
                                    .build());
                }
            }
            if (again) {
                trigger(Contender.name(job));
            }
        }
    }

    private static void run(JobExecutionContext context, Work work, boolean again) {
        JobKey key = context.getJobDetail().getKey();
        work.run(key.getGroup(), Integer.parseInt(key.getName()));
        if (again) {
            try {
                context.getScheduler().triggerJob(key);
            } catch (SchedulerException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void trigger(String job) throws SchedulerException {
        for (int item = 0; item < items; item++) {
            Objects.requireNonNull(scheduler).triggerJob(JobKey.jobKey(Integer.toString(item), job));
        }
    }

    @Override
    public void close() throws SchedulerException {
        Objects.requireNonNull(scheduler).shutdown();
    }
}
