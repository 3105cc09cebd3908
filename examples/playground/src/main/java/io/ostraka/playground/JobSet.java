package io.ostraka.playground;

import java.util.List;
import java.util.function.Supplier;

/** The jobs that the workers host. */
enum JobSet {
    /** A dozen jobs of all kinds. */
    SHOP(Shop::jobs),
    /** Jobs with problems. */
    NIGHT(Night::jobs),
    /** A thousand jobs, which fire so often that a page must not show each fire. */
    CROWD(Crowd::jobs);

    private final Supplier<List<PlayedJob>> jobs;

    JobSet(Supplier<List<PlayedJob>> jobs) {
        this.jobs = jobs;
    }

    List<PlayedJob> jobs() {
        return jobs.get();
    }
}
