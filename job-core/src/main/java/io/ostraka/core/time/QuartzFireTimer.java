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
 * A fire timer that uses one Quartz scheduler with two daemon threads, for any number of keys. Thread-safe. A wake-up comes
 * at its instant or a millisecond later, but never earlier. After {@link #close}, setting a wake-up has no effect.
 *
 * <p>Quartz has only one trigger at a time, for the earliest instant of all keys. If a thousand jobs fire at the same
 * instant, Quartz fires once. Moving a wake-up does not involve Quartz if another wake-up is earlier. When Quartz fires,
 * this class looks up the due keys one by one, so a wake-up that is moved or cancelled before its turn does not wake its
 * caller.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API requires it
public final class QuartzFireTimer implements FireTimer {
    private static final Logger log = LoggerFactory.getLogger(QuartzFireTimer.class);

    /** Longest time by which Quartz may fire too early. If it does, this class waits until the instant of the wake-up. */
    private static final Duration EARLIEST = Duration.ofMillis(2);

    /** Longest time until Quartz notices that the wall clock has jumped. Quartz waits on the monotonic clock. */
    private static final Duration LOOKS_AT_CLOCK = Duration.ofSeconds(5);

    private final Scheduler scheduler;
    /** The same clock that Quartz uses. */
    private final Clock clock = new SystemClock();

    // guarded by this
    /** Time of each key's wake-up, in milliseconds since 1970-01-01T00:00Z. */
    private final Map<String, Long> moments = new HashMap<>();
    /** Callbacks by time. */
    private final TreeMap<Long, Map<String, Runnable>> wakes = new TreeMap<>();
    /** The only Quartz trigger; null if none is set. It fires at or before the first of the times in {@link #wakes}. */
    private @Nullable Trigger next;

    private boolean ringing;
    private long triggers;
    private boolean closed;

    /**
     * Starts the scheduler.
     *
     * @throws IllegalStateException if Quartz cannot start
     */
    public QuartzFireTimer() {
        try {
            scheduler = new StdSchedulerFactory(properties()).getScheduler();
            scheduler.setJobFactory((fired, quartz) -> context -> ring(context.getTrigger()));
            scheduler.start();
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz cannot start", e);
        }
    }

    private static Properties properties() {
        Properties properties = new Properties();
        // Quartz registers schedulers by name for the whole process, so the name must be unique
        properties.put(StdSchedulerFactory.PROP_SCHED_INSTANCE_NAME, "ostraka-" + UUID.randomUUID());
        properties.put(StdSchedulerFactory.PROP_SCHED_THREAD_NAME, "ostraka-fire-timer");
        properties.put(StdSchedulerFactory.PROP_SCHED_MAKE_SCHEDULER_THREAD_DAEMON, "true");
        properties.put(StdSchedulerFactory.PROP_SCHED_IDLE_WAIT_TIME, Long.toString(LOOKS_AT_CLOCK.toMillis()));
        properties.put(
                "org.quartz.scheduler.skipUpdateCheck", "true"); // older versions of Quartz send a network request
        properties.put(StdSchedulerFactory.PROP_JOB_STORE_CLASS, RAMJobStore.class.getName());
        properties.put(StdSchedulerFactory.PROP_THREAD_POOL_CLASS, SimpleThreadPool.class.getName());
        properties.put("org.quartz.threadPool.threadCount", "1");
        properties.put("org.quartz.threadPool.threadNamePrefix", "ostraka-fire-timer-wake");
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
        forget(key); // the Quartz trigger remains; if it was only for this key, it finds no due key
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

    /** Replaces the Quartz trigger with one for another time. */
    private void trigger(long moment) {
        Trigger before = next;
        String name = Long.toString(++triggers);
        JobDetail job = JobBuilder.newJob(Job.class).withIdentity(name).build();
        Trigger trigger = TriggerBuilder.newTrigger()
                .withIdentity(name)
                .startAt(new Date(moment))
                // otherwise Quartz treats a wake-up that is a minute late as a misfire and moves it
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionIgnoreMisfires())
                .build();
        try {
            scheduler.scheduleJob(job, Set.of(trigger), true);
            next = trigger;
            if (before != null) {
                scheduler.deleteJob(JobKey.jobKey(before.getKey().getName()));
            }
        } catch (SchedulerException e) {
            throw new IllegalStateException("Quartz rejects a wake-up at " + new Date(moment).toInstant(), e);
        }
    }

    /** Calls the callbacks of all keys that are due. */
    private void ring(Trigger fired) {
        synchronized (this) {
            if (next == null || !next.getKey().equals(fired.getKey())) {
                return; // another Quartz trigger has replaced this one
            }
            ringing = true; // a wake-up that is set from now on for this time or earlier wakes in this call
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

    /**
     * Waits until an instant if Quartz has fired a few milliseconds early. If the remaining time is longer, the clock
     * was set back, and this method returns at once.
     */
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
        } catch (RuntimeException | Error e) { // the remaining due keys must still be woken
            log.error("the wake-up of {} failed; its next wake-up is not affected. Please report this error", key, e);
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
            throw new IllegalStateException("Quartz cannot stop", e);
        }
    }
}
