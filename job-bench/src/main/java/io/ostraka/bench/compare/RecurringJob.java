package io.ostraka.bench.compare;

import io.ostraka.bench.Contender;
import java.util.concurrent.TimeUnit;

/**
 * A job that is scheduled alike by all contenders.
 *
 * @param everySeconds how far its fires are apart; divides a minute
 * @param itemMillis how long each item takes
 */
record RecurringJob(String name, int items, int everySeconds, int itemMillis) {
    /** Refuses what cron can't say. */
    RecurringJob {
        if (everySeconds < 1 || 60 % everySeconds != 0) {
            throw new IllegalArgumentException("a job can't fire every " + everySeconds + " s: must divide a minute");
        }
    }

    /** Returns what a contender schedules. */
    Contender.Job scheduled() {
        return new Contender.Job(name, items, "0/" + everySeconds + " * * * * ?");
    }

    long periodMillis() {
        return TimeUnit.SECONDS.toMillis(everySeconds);
    }

    /** Returns its latest fire at an instant, both in milliseconds since 1970. */
    long fireAt(long millis) {
        return millis - Math.floorMod(millis, periodMillis());
    }

    String text() {
        return name + ":" + items + ":" + everySeconds + ":" + itemMillis;
    }

    static RecurringJob parse(String text) {
        String[] parts = text.split(":", -1);
        return new RecurringJob(
                parts[0], Integer.parseInt(parts[1]), Integer.parseInt(parts[2]), Integer.parseInt(parts[3]));
    }
}
