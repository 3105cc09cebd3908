package io.ostraka.bench;

import java.util.Objects;
import java.util.Properties;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/**
 * Quartz alone, in memory: no coordination at all, which is what there is to be lost. An item is a job of its own, since
 * Quartz knows none.
 */
public final class QuartzContender implements Contender {
    private static final String WORK = "work";
    private static final String NAME = "name";

    @Override
    public void schedule(String servers, String namespace, int jobs, int items, String cron, Work work)
            throws SchedulerException {
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", namespace);
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", "10");
        Scheduler scheduler = new StdSchedulerFactory(settings).getScheduler();
        scheduler.getContext().put(WORK, work);
        scheduler.start();
        for (int job = 0; job < jobs; job++) {
            for (int item = 0; item < items; item++) {
                scheduler.scheduleJob(
                        JobBuilder.newJob(Item.class)
                                .withIdentity(Contender.name(job) + "." + item)
                                .usingJobData(NAME, Contender.name(job))
                                .build(),
                        TriggerBuilder.newTrigger()
                                .withSchedule(CronScheduleBuilder.cronSchedule(cron))
                                .build());
            }
        }
    }

    /** One item. */
    public static final class Item implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            try {
                Work work = (Work) context.getScheduler().getContext().get(WORK);
                Objects.requireNonNull(work).run(context.getMergedJobDataMap().getString(NAME));
            } catch (SchedulerException e) {
                throw new IllegalStateException("Quartz has no context", e);
            }
        }
    }
}
