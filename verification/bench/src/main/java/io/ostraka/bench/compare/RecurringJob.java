package io.ostraka.bench.compare;

import io.ostraka.bench.Contender;
import java.util.concurrent.TimeUnit;

/**
 * A job that all contenders schedule in the same way.
 *
 * @param everySeconds period of its fires, which must divide a minute evenly
 * @param itemMillis duration of an item's run
 */
record RecurringJob(String name, int items, int everySeconds, int itemMillis) {
    /** Rejects periods that cron cannot express. */
    RecurringJob {
        if (everySeconds < 1 || 60 % everySeconds != 0) {
            throw new IllegalArgumentException(
                    "a job cannot fire every " + everySeconds + " s: the period must divide a minute");
        }
    }

    /** Returns the job in the form that a contender schedules. */
    Contender.Job scheduled() {
        return new Contender.Job(name, items, "0/" + everySeconds + " * * * * ?");
    }

    long periodMillis() {
        return TimeUnit.SECONDS.toMillis(everySeconds);
    }

    /** Returns the latest fire that is not after the given instant, both in milliseconds since 1970. */
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
