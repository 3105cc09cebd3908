package io.ostraka.playground;

import io.ostraka.api.HistoryLevel;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A thousand jobs that fire a hundred times a second in total, and a job of a thousand items. */
final class Crowd {
    private static final int JOBS = 1_000;
    private static final int ITEMS = 1_000;
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private Crowd() {}

    static List<PlayedJob> jobs() {
        List<PlayedJob> jobs = new ArrayList<>();
        SimpleJob code = context -> {};
        for (int job = 0; job < JOBS; job++) {
            jobs.add(new PlayedJob(
                    JobConfiguration.newBuilder(String.format(Locale.ROOT, "report-%03d", job), 1)
                            .schedule(Schedule.fixedRate(PERIOD))
                            .history(HistoryLevel.FAILURES)
                            .labels(Map.of("owner", "reporting"))
                            .build(),
                    code));
        }
        jobs.add(new PlayedJob(
                JobConfiguration.newBuilder("refresh-customers", ITEMS)
                        .description("Refreshes a part of the customers in each of a thousand items.")
                        .schedule(Schedule.fixedRate(PERIOD.multipliedBy(3)))
                        .history(HistoryLevel.FAILURES)
                        .build(),
                code));
        return jobs;
    }
}
