package io.ostraka.playground;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The jobs of the shop, during a night on which several of them have problems. */
final class Night {
    static final String IMPORT_RETURNS = "import-returns";

    private static final Duration SOON = Duration.ofMinutes(1);
    /** Longer than it takes until the item of the other job that ends its workers is quarantined. */
    private static final Duration OUTAGE = Duration.ofMinutes(2);

    private static final int DIED = 134;
    /** Enough attempts that items are not quarantined if a job that kills its worker interrupts them, too. */
    private static final int MANY_ATTEMPTS = 50;

    private Night() {}

    static List<PlayedJob> jobs() {
        Stream<PlayedJob> healthy = Stream.of(
                Shop.importOrders(),
                Shop.followPayments(),
                Shop.buildSearchIndex(),
                Shop.settleOrders(),
                Shop.backUpDatabase(),
                Shop.refreshPrices());
        Stream<PlayedJob> troubled = Stream.of(chargeCards(), syncStock(2, Duration.ofSeconds(10)), renderReports());
        return Stream.concat(Stream.concat(healthy, troubled).map(Night::resilient), Stream.of(sendReminders()))
                .toList();
    }

    private static PlayedJob resilient(PlayedJob job) {
        return changed(job, job.configuration().toBuilder().maxAttempts(MANY_ATTEMPTS));
    }

    private static PlayedJob changed(PlayedJob job, JobConfiguration.Builder configuration) {
        return new PlayedJob(configuration.build(), job.code(), job.options());
    }

    private static PlayedJob chargeCards() {
        PlayedJob job = Shop.chargeCards();
        return changed(
                job,
                job.configuration().toBuilder().alarms(AlarmPolicy.defaults().after(AlarmKind.PAUSED_LONG, SOON)));
    }

    /** Returns the job in a revision of its definition, with the delay of this revision between two runs. */
    static PlayedJob syncStock(int revision, Duration delay) {
        PlayedJob job = Shop.syncStock();
        return changed(
                job,
                job.configuration().toBuilder()
                        .schedule(Schedule.fixedDelay(delay))
                        .revision(revision));
    }

    /** Returns a job whose third item ends the whole process, after the other items have ended. */
    private static PlayedJob sendReminders() {
        SimpleJob code = context -> {
            Work.between(context, Duration.ofMillis(200), Duration.ofSeconds(1));
            if (context.shardingItem() == 2) {
                Thread.sleep(2_000);
                Runtime.getRuntime().halt(DIED);
            }
        };
        return new PlayedJob(
                Shop.job(Shop.SEND_REMINDERS, 6, "customer-care")
                        .description("Reminds customers of their carts.")
                        .schedule(Schedule.cron("20/30 * * * * ?", Shop.ZONE))
                        .shardingItemParameters(Shop.BRANCHES)
                        .build(),
                code);
    }

    /**
     * Returns a job whose second item waits for a lost reply, and ignores the interrupt. Only a restart of the process
     * ends such a run. Runs that start after the outage of the printer succeed, so that the restart mends the job; the
     * job that kills its worker does not end the outage.
     */
    private static PlayedJob renderReports() {
        SimpleJob code = context -> {
            boolean lost = context.shardingItem() == 1
                    && Instant.now().isBefore(firstRun(context).plus(OUTAGE));
            while (lost) {
                LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
                Thread.interrupted(); // an interrupted thread would not wait
            }
            Work.between(context, Duration.ofSeconds(1), Duration.ofSeconds(4));
        };
        return new PlayedJob(
                Shop.job(Shop.RENDER_REPORTS, 2, "reporting")
                        .description("Renders the reports of the last minute.")
                        .schedule(Schedule.cron("30 * * * * ?", Shop.ZONE))
                        .timeout(Duration.ofSeconds(20))
                        .alarms(AlarmPolicy.defaults().after(AlarmKind.RUNS_TOO_LONG, SOON))
                        .build(),
                code);
    }

    /** Returns when the item ran first, on any worker. */
    private static Instant firstRun(ShardingContext context) {
        return context.checkpoint()
                .map(time -> Instant.parse(new String(time, StandardCharsets.UTF_8)))
                .orElseGet(() -> {
                    Instant now = Instant.now();
                    context.saveCheckpoint(now.toString().getBytes(StandardCharsets.UTF_8));
                    return now;
                });
    }

    /** Returns a job that no worker hosts. An instance that has ended has registered it. */
    static PlayedJob importReturns() {
        SimpleJob code = context -> Work.between(context, Duration.ofMillis(500), Duration.ofSeconds(2));
        return new PlayedJob(
                Shop.job(IMPORT_RETURNS, 4, "orders")
                        .description("Imports the returned parcels of each branch.")
                        .schedule(Schedule.cron("0 0/2 * * * ?", Shop.ZONE))
                        .alarms(AlarmPolicy.defaults().after(AlarmKind.NO_INSTANCE, SOON))
                        .build(),
                code);
    }
}
