package io.ostraka.core.time;

import io.ostraka.core.schedule.SupportedYears;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.simpl.RAMJobStore;
import org.quartz.simpl.SimpleThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alarm on one Quartz scheduler, however many keys it has: two daemon threads in all. Thread-safe. A wake-up
 * comes at its instant or a millisecond later, never earlier; at once for an instant that has passed, however long
 * ago. After {@link #close} setting an alarm does nothing.
 *
 * <p>Quartz has one trigger at a time: for the earliest instant of all keys. A thousand jobs that fire together cost it one
 * fire, and one that moves its alarm costs it nothing as long as another's comes first. Who is woken by a fire is looked up
 * then, one key after the other: an alarm that was moved or cancelled meanwhile wakes nobody.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
public final class QuartzAlarm implements Alarm {
    private static final Logger log = LoggerFactory.getLogger(QuartzAlarm.class);

    /** Quartz doesn't wait for the last two milliseconds: it fires that much early at times, and the rest is waited for here. */
    private static final Duration EARLIEST = Duration.ofMillis(2);

    /** How long a jump of the wall clock may go unnoticed; Quartz waits by the monotonic clock. */
    private static final Duration LOOKS_AT_CLOCK = Duration.ofSeconds(5);

    private final Scheduler scheduler;
    /** What Quartz goes by, too. */
    private final Clock clock = new SystemClock();

    // guarded by this
    /** When each key's alarm is to come, in Quartz's milliseconds. */
    private final Map<String, Long> moments = new HashMap<>();
    /** What is called at each moment. */
    private final TreeMap<Long, Map<String, Runnable>> wakes = new TreeMap<>();
    /** The one trigger, which fires at the first of these moments or before; null when none is set. */
    private @Nullable Trigger next;

    private boolean ringing;
    private long triggers;
    private boolean closed;

    /**
     * Starts the scheduler.
     *
     * @throws IllegalStateException when Quartz can't start
     */
    public QuartzAlarm() {
        try {
            scheduler = new StdSchedulerFactory(properties()).getScheduler();
            scheduler.setJobFactory((fired, quartz) -> context -> ring(context.getTrigger()));
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
        properties.put("org.quartz.threadPool.threadCount", "1");
        properties.put("org.quartz.threadPool.threadNamePrefix", "ostraka-alarm-wake");
        properties.put("org.quartz.threadPool.makeThreadsDaemons", "true");
        return properties;
    }

    @Override
    public synchronized void wakeAt(String key, Instant at, Runnable wake) {
        if (closed) {
            return;
        }
        long moment = SupportedYears.millis(at.isAfter(SupportedYears.LAST) ? at : at.plusNanos(999_999));
        forget(key);
        moments.put(key, moment);
        wakes.computeIfAbsent(moment, none -> new LinkedHashMap<>()).put(key, wake);
        if (next == null || (moment < moment(next) && !ringing)) {
            trigger(moment);
        }
    }

    @Override
    public synchronized void cancel(String key) {
        forget(key); // a trigger that was set for it alone fires for nobody
    }

    private void forget(String key) {
        Long moment = moments.remove(key);
        Map<String, Runnable> together = moment == null ? null : wakes.get(moment);
        if (moment != null && together != null) {
            together.remove(key);
            if (together.isEmpty()) {
                wakes.remove(moment);
            }
        }
    }

    private static long moment(Trigger trigger) {
        return trigger.getStartTime().getTime();
    }

    /** Has Quartz fire at a moment, and no more at the one that was set before. */
    private void trigger(long moment) {
        Trigger before = next;
        String name = Long.toString(++triggers);
        JobDetail job = JobBuilder.newJob(Job.class).withIdentity(name).build();
        Trigger trigger = TriggerBuilder.newTrigger()
                .withIdentity(name)
                .startAt(new Date(moment))
                // without it a wake-up that is a minute late would be moved, and everybody told of a misfire
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires())
                .build();
        try {
            scheduler.scheduleJob(job, Set.of(trigger), true);
            next = trigger;
            if (before != null) {
                scheduler.deleteJob(JobKey.jobKey(before.getKey().getName()));
            }
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz refuses an alarm at " + new Date(moment).toInstant(), e);
        }
    }

    /** Wakes all whose moment has come. */
    private void ring(Trigger fired) {
        synchronized (this) {
            if (next == null || !next.getKey().equals(fired.getKey())) {
                return; // another was set in its place
            }
            ringing = true; // what is set for now or earlier comes with it
        }
        waitOut(Instant.ofEpochMilli(moment(fired)));
        Map.Entry<String, Runnable> due = due(fired);
        while (due != null) {
            wake(due.getKey(), due.getValue());
            due = due(fired);
        }
        synchronized (this) {
            ringing = false;
            next = null;
            if (!wakes.isEmpty() && !closed) {
                trigger(wakes.firstKey());
            }
        }
    }

    /** Waits for what Quartz left out; a moment that is farther away now is so because the clock was set back. */
    private void waitOut(Instant moment) {
        Duration left = Duration.between(clock.now(), moment);
        while (left.compareTo(Duration.ZERO) > 0 && left.compareTo(EARLIEST) <= 0) {
            LockSupport.parkNanos(left.toNanos());
            left = Duration.between(clock.now(), moment);
        }
    }

    private synchronized Map.@Nullable Entry<String, Runnable> due(Trigger fired) {
        Map.Entry<Long, Map<String, Runnable>> first = wakes.firstEntry();
        if (first == null || first.getKey() > moment(fired)) {
            return null;
        }
        Map.Entry<String, Runnable> due = first.getValue().entrySet().iterator().next();
        forget(due.getKey());
        return due;
    }

    private static void wake(String key, Runnable wake) {
        try {
            wake.run();
        } catch (RuntimeException | Error e) { // the others that come with it are to be woken all the same
            log.error("The wake-up of {} failed; its next alarm is not affected. Please report this.", key, e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            moments.clear();
            wakes.clear();
        }
        try {
            scheduler.shutdown(false);
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz can't stop", e);
        }
    }
}
