package io.ostraka.bench;

import java.time.Instant;
import java.util.Date;
import java.util.Properties;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/** Quartz alone, in memory. */
@SuppressWarnings("JavaUtilDate") // Quartz's API accepts no other type
final class TimedQuartz implements TimedScheduler {
    @Override
    public void schedule(Load load, Body body) throws SchedulerException {
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", "alone");
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.threadPool.threadCount", Integer.toString(load.threads()));
        Scheduler scheduler = new StdSchedulerFactory(settings).getScheduler();
        scheduler.setJobFactory((fired, quartz) -> context -> body.ran(number(context), scheduledTime(context)));
        for (int job = 0; job < load.jobs(); job++) {
            scheduler.scheduleJob(
                    JobBuilder.newJob(Job.class)
                            .withIdentity(Integer.toString(job))
                            .build(),
                    TriggerBuilder.newTrigger()
                            .startAt(Date.from(load.first(job)))
                            .withSchedule(SimpleScheduleBuilder.simpleSchedule()
                                    .withIntervalInMilliseconds(PERIOD.toMillis())
                                    .repeatForever()
                                    // the default instruction skips fires that are five seconds late
                                    .withMisfireHandlingInstructionIgnoreMisfires())
                            .build());
        }
        scheduler.start();
    }

    private static int number(JobExecutionContext context) {
        return Integer.parseInt(context.getJobDetail().getKey().getName());
    }

    private static Instant scheduledTime(JobExecutionContext context) {
        return context.getScheduledFireTime().toInstant();
    }
}
