package io.ostraka.playground;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobOptions;
import io.ostraka.api.OnceListener;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/** The jobs of a shop: a dozen jobs of all kinds, so that each view of a console shows something. */
final class Shop {
    static final String SYNC_STOCK = "sync-stock";
    static final String CHARGE_CARDS = "charge-cards";
    static final String CLOSE_MONTH = "close-month";
    static final String SETTLE_ORDERS = "settle-orders";
    static final String SEND_REMINDERS = "send-reminders";
    static final String RENDER_REPORTS = "render-reports";

    static final ZoneId ZONE = ZoneId.of("Europe/Berlin");
    static final String BRANCHES = "0=Athens,1=Berlin,2=Cairo,3=Delhi,4=Edinburgh,5=Florence";

    private Shop() {}

    static List<PlayedJob> jobs() {
        return List.of(
                importOrders(),
                followPayments(),
                buildSearchIndex(),
                syncStock(),
                fetchExchangeRates(),
                closeMonth(),
                sendReminders(),
                renderReports(),
                chargeCards(),
                settleOrders(),
                backUpDatabase(),
                refreshPrices());
    }

    static JobConfiguration.Builder job(String name, int items, String owner) {
        return JobConfiguration.newBuilder(name, items)
                .history(HistoryLevel.ALL)
                .labels(Map.of("owner", owner, "team", "shop"));
    }

    private static Map<String, String> urgent(String owner, String job) {
        return Map.of(
                "owner", owner, "team", "shop", "severity", "critical", "runbook", "https://wiki.example.org/" + job);
    }

    static PlayedJob importOrders() {
        SimpleJob code = context -> Work.between(context, Duration.ofMillis(200), Duration.ofSeconds(3));
        return new PlayedJob(
                job("import-orders", 6, "orders")
                        .description("Imports the orders of each branch.")
                        .schedule(Schedule.cron("0/10 * * * * ?", ZONE))
                        .shardingItemParameters(BRANCHES)
                        .build(),
                code);
    }

    static PlayedJob followPayments() {
        return new PlayedJob(
                job("follow-payments", 2, "payments")
                        .description("Follows the stream of payments; its position is the checkpoint of the item.")
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                        .streaming(true)
                        .history(HistoryLevel.FAILURES)
                        .build(),
                new Work.Payments());
    }

    /** Returns a job of 40 items, of which one takes much longer than the others. */
    static PlayedJob buildSearchIndex() {
        int large = 17;
        SimpleJob code = context -> {
            if (context.shardingItem() == large) {
                Work.inSteps(context, 10, Duration.ofSeconds(32), "segment");
            } else {
                Work.between(context, Duration.ofMillis(300), Duration.ofSeconds(6));
            }
        };
        OnceListener index = new OnceListener() {
            @Override
            public void beforeFirst(JobFire fire) throws InterruptedException {
                Thread.sleep(300); // opens a new index
            }

            @Override
            public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws InterruptedException {
                Thread.sleep(200); // switches to the new index
            }
        };
        return new PlayedJob(
                job("build-search-index", 40, "search")
                        .description(
                                "Builds a part of the index in each item. One part is much larger than the others.")
                        .schedule(Schedule.cron("0 * * * * ?", ZONE))
                        .concurrency(5)
                        .overlap(OverlapPolicy.coalesce())
                        .build(),
                code,
                JobOptions.none().listeners(index));
    }

    static PlayedJob syncStock() {
        SimpleJob code = context -> Work.inSteps(context, 8, Duration.ofSeconds(6), "shelf");
        return new PlayedJob(
                job(SYNC_STOCK, 3, "warehouse")
                        .description("Compares the stock of each warehouse, and reports its progress.")
                        .schedule(Schedule.fixedDelay(Duration.ofSeconds(10)))
                        .shardingItemParameters("0=north,1=east,2=south")
                        .build(),
                code);
    }

    /** Returns a job whose service is too slow in two of every five minutes, so that its interval grows. */
    static PlayedJob fetchExchangeRates() {
        SimpleJob code = context -> Thread.sleep(
                Work.minute(context) % 5 < 2 ? Duration.ofSeconds(10).toMillis() : 150);
        return new PlayedJob(
                job("fetch-exchange-rates", 1, "payments")
                        .description("Asks a service that is slow now and then; the interval adapts.")
                        .schedule(Schedule.adaptive(Duration.ofSeconds(3), 8))
                        .errorHandler("IGNORE")
                        .alarms(AlarmPolicy.defaults().without(AlarmKind.FAILING))
                        .build(),
                code);
    }

    private static PlayedJob closeMonth() {
        SimpleJob code = context -> {
            if (!context.triggerParameters().containsKey("month")) {
                throw new IllegalArgumentException("the parameter 'month' is missing, such as month=2026-01");
            }
            Work.between(context, Duration.ofSeconds(1), Duration.ofSeconds(4));
        };
        return new PlayedJob(
                job(CLOSE_MONTH, 6, "accounting")
                        .description("Closes a month, which the parameter 'month' of the trigger names.")
                        .shardingItemParameters(BRANCHES)
                        .build(),
                code);
    }

    private static PlayedJob sendReminders() {
        SimpleJob code = context -> {
            Work.between(context, Duration.ofMillis(200), Duration.ofSeconds(1));
            if (context.shardingItem() == 3) {
                throw new IllegalStateException("no mail server for " + context.shardingItemParameter());
            }
        };
        return new PlayedJob(
                job(SEND_REMINDERS, 6, "customer-care")
                        .description("Reminds customers of their carts.")
                        .schedule(Schedule.cron("5/20 * * * * ?", ZONE))
                        .shardingItemParameters(BRANCHES)
                        .retry(RetryPolicy.attempts(3).backoff(Duration.ofSeconds(1), 2, Duration.ofSeconds(5)))
                        .labels(urgent("customer-care", SEND_REMINDERS))
                        .alarms(AlarmPolicy.defaults().failuresInARow(2))
                        .build(),
                code);
    }

    /** Returns a job whose second item takes so long in every third fire that the next fire is skipped. */
    private static PlayedJob renderReports() {
        SimpleJob code = context -> {
            boolean large = context.shardingItem() == 1 && Work.minute(context) % 3 == 0;
            Work.inSteps(context, 20, Duration.ofSeconds(large ? 75 : 3), "page");
        };
        return new PlayedJob(
                job(RENDER_REPORTS, 2, "reporting")
                        .description("Renders the reports of the last minute. Some are large.")
                        .schedule(Schedule.cron("30 * * * * ?", ZONE))
                        .labels(urgent("reporting", RENDER_REPORTS))
                        .alarms(AlarmPolicy.defaults().after(AlarmKind.RUNS_TOO_LONG, Duration.ofSeconds(15)))
                        .build(),
                code);
    }

    static PlayedJob chargeCards() {
        SimpleJob code = context -> Work.between(context, Duration.ofMillis(500), Duration.ofSeconds(2));
        return new PlayedJob(
                job(CHARGE_CARDS, 4, "payments")
                        .description("Charges the cards of shipped orders.")
                        .schedule(Schedule.cron("15/30 * * * * ?", ZONE))
                        .labels(urgent("payments", CHARGE_CARDS))
                        .build(),
                code);
    }

    static PlayedJob settleOrders() {
        SimpleJob code = context -> Work.between(context, Duration.ofSeconds(1), Duration.ofSeconds(3));
        return new PlayedJob(
                job(SETTLE_ORDERS, 8, "payments")
                        .description("Settles the orders of the day before, on working days.")
                        .schedule(Schedule.cron("0 30 6 * * ?", ZONE)
                                .excluding(none -> none.weekdays(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY)
                                        .yearly(MonthDay.of(1, 1), MonthDay.of(12, 25))))
                        .timeout(Duration.ofMinutes(30))
                        .build(),
                code);
    }

    static PlayedJob backUpDatabase() {
        SimpleJob code = (ShardingContext context) -> Work.inSteps(context, 10, Duration.ofSeconds(20), "table");
        return new PlayedJob(
                job("back-up-database", 1, "operations")
                        .description("Backs up the database at night, but not while it is maintained.")
                        .scope(Scope.SINGLETON)
                        .schedule(Schedule.cron("0 0/30 22-23,0-5 * * ?", ZONE)
                                .excluding(none -> none.daily(LocalTime.of(2, 0), LocalTime.of(3, 15)))
                                .jitter(Duration.ofMinutes(2)))
                        .timeout(Duration.ofHours(1))
                        .build(),
                code);
    }

    static PlayedJob refreshPrices() {
        SimpleJob code = context -> Work.between(context, Duration.ofMillis(50), Duration.ofMillis(400));
        return new PlayedJob(
                job("refresh-prices", 1, "catalogue")
                        .description("Refreshes the cache of prices in each instance.")
                        .scope(Scope.BROADCAST)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(30)))
                        .build(),
                code);
    }
}
