package io.ostraka.core.trigger;

import io.ostraka.core.time.Alarm;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.simpl.RAMJobStore;
import org.quartz.simpl.SimpleThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alarm on one Quartz scheduler, however many keys it has: three daemon threads in all. Thread-safe. A wake-up
 * comes at its instant or a few milliseconds later, never earlier; at once for an instant that has passed, however long
 * ago. After {@link #close} setting an alarm does nothing.
 *
 * <p>Each key is a Quartz job of its own with a single trigger: removing one trigger of a job that has many makes
 * Quartz copy them all. A fire of a trigger counts only while {@link #wakes} holds the same instant for its key, so
 * that an alarm moved or cancelled while its fire is on the way to a thread wakes nobody too early.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
public final class QuartzAlarm implements Alarm {
    private static final Logger log = LoggerFactory.getLogger(QuartzAlarm.class);

    private static final int THREADS = 2;

    /** Quartz doesn't wait for the last two milliseconds: it fires that much early at times. */
    private static final Duration EARLIEST = Duration.ofMillis(2);

    /** How long a jump of the wall clock may go unnoticed; Quartz waits by the monotonic clock. */
    private static final Duration LOOKS_AT_CLOCK = Duration.ofSeconds(5);

    private final Scheduler scheduler;
    private final Map<String, Wake> wakes = new HashMap<>();
    private boolean closed;

    /**
     * Starts the scheduler.
     *
     * @throws IllegalStateException when Quartz can't start
     */
    public QuartzAlarm() {
        try {
            scheduler = new StdSchedulerFactory(properties()).getScheduler();
            scheduler.setJobFactory((fired, quartz) -> context -> wake(context.getTrigger()));
            scheduler.start();
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz can't start", e);
        }
    }

    private static Properties properties() {
        Properties properties = new Properties();
        // Quartz registers schedulers by name for the whole process: ours must not meet another's
        properties.put(StdSchedulerFactory.PROP_SCHED_INSTANCE_NAME, "ostraka-" + UUID.randomUUID());
        properties.put(StdSchedulerFactory.PROP_SCHED_THREAD_NAME, "ostraka-alarm");
        properties.put(StdSchedulerFactory.PROP_SCHED_MAKE_SCHEDULER_THREAD_DAEMON, "true");
        properties.put(StdSchedulerFactory.PROP_SCHED_IDLE_WAIT_TIME, Long.toString(LOOKS_AT_CLOCK.toMillis()));
        properties.put("org.quartz.scheduler.skipUpdateCheck", "true"); // older versions ask the network
        properties.put(StdSchedulerFactory.PROP_JOB_STORE_CLASS, RAMJobStore.class.getName());
        properties.put(StdSchedulerFactory.PROP_THREAD_POOL_CLASS, SimpleThreadPool.class.getName());
        properties.put("org.quartz.threadPool.threadCount", Integer.toString(THREADS));
        properties.put("org.quartz.threadPool.threadNamePrefix", "ostraka-alarm-wake");
        properties.put("org.quartz.threadPool.makeThreadsDaemons", "true");
        return properties;
    }

    @Override
    public void wakeAt(String key, Instant at, Runnable wake) {
        Date start =
                new Date(Horizon.millis(at.isAfter(Horizon.LAST) ? at : at.plusNanos(999_999)) + EARLIEST.toMillis());
        JobDetail job = JobBuilder.newJob(Job.class).withIdentity(key).build();
        Trigger trigger = TriggerBuilder.newTrigger()
                .withIdentity(key)
                .startAt(start)
                // without it a wake-up that is a minute late would be moved, and everybody told of a misfire
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires())
                .build();
        synchronized (wakes) {
            if (closed) {
                return;
            }
            wakes.put(key, new Wake(start.getTime(), wake));
            try {
                scheduler.scheduleJob(job, Set.of(trigger), true);
            } catch (SchedulerException e) {
                throw new IllegalStateException("Quartz refuses the alarm of " + key + " at " + at, e);
            }
        }
    }

    @Override
    public void cancel(String key) {
        synchronized (wakes) {
            if (wakes.remove(key) == null || closed) {
                return;
            }
            try {
                scheduler.unscheduleJob(TriggerKey.triggerKey(key));
            } catch (SchedulerException e) {
                throw new IllegalStateException("Quartz can't cancel the alarm of " + key, e);
            }
        }
    }

    private void wake(Trigger fired) {
        String key = fired.getKey().getName();
        Wake wake;
        synchronized (wakes) {
            wake = wakes.get(key);
            if (wake == null || wake.startMillis != fired.getStartTime().getTime()) {
                return;
            }
            wakes.remove(key);
        }
        try {
            wake.task.run();
        } catch (RuntimeException e) {
            log.error("The wake-up of {} failed; its next alarm is not affected. Please report this.", key, e);
        }
    }

    @Override
    public void close() {
        synchronized (wakes) {
            closed = true;
            wakes.clear();
        }
        try {
            scheduler.shutdown(false);
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz can't stop", e);
        }
    }

    /** What a key's trigger is for, and when it starts. */
    private record Wake(long startMillis, Runnable task) {}
}
