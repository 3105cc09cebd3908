package io.ostraka.lite.process;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import java.time.Duration;

/**
 * A job of a test, in a form that can be passed to the workers as an argument.
 *
 * @param periodMillis period of the fixed rate; 0 for a job on demand
 */
record HostedJob(String name, int items, boolean failover, long graceMillis, long periodMillis) {
    /** Returns a job on demand with default settings. */
    static HostedJob onDemand(String name, int items) {
        return new HostedJob(name, items, true, 30_000, 0);
    }

    static HostedJob fixedRate(String name, int items, Duration period) {
        return new HostedJob(name, items, true, 30_000, period.toMillis());
    }

    HostedJob withoutFailover() {
        return new HostedJob(name, items, false, graceMillis, periodMillis);
    }

    HostedJob withGrace(Duration grace) {
        return new HostedJob(name, items, failover, grace.toMillis(), periodMillis);
    }

    boolean scheduled() {
        return periodMillis > 0;
    }

    JobConfiguration configuration() {
        return JobConfiguration.newBuilder(name, items)
                .failover(failover)
                .shutdownGrace(Duration.ofMillis(graceMillis))
                .schedule(scheduled() ? Schedule.fixedRate(Duration.ofMillis(periodMillis)) : Schedule.onDemand())
                .build();
    }

    String argument() {
        return String.join(":", name, "" + items, "" + failover, "" + graceMillis, "" + periodMillis);
    }

    static HostedJob parse(String argument) {
        String[] fields = argument.split(":", -1);
        return new HostedJob(
                fields[0],
                Integer.parseInt(fields[1]),
                Boolean.parseBoolean(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[4]));
    }
}
