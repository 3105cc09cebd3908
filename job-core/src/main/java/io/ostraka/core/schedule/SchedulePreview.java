package io.ostraka.core.schedule;

import io.ostraka.api.Schedule;
import io.ostraka.api.ScheduleCalculator;
import io.ostraka.core.model.FireTimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Computes the next fires of a schedule without a job. */
public final class SchedulePreview implements ScheduleCalculator {
    private static final int MOST_PREVIEWED = 10_000;
    /** Name that replaces a job's name in exceptions. */
    private static final String PREVIEW = "preview";

    @Override
    public List<Instant> nextFires(Schedule schedule, Instant after, int count) {
        if (count < 1 || count > MOST_PREVIEWED) {
            throw new IllegalArgumentException("count is " + count + "; accepted: 1 to " + MOST_PREVIEWED);
        }
        validate(PREVIEW, schedule);
        List<Instant> fires = new ArrayList<>();
        FireTimes times = FireSchedules.of(PREVIEW, schedule, after);
        Optional<Instant> fire = times.next(after);
        while (fire.isPresent() && fires.size() < count) {
            fires.add(fire.get());
            times = times.patient() ? FireSchedules.of(PREVIEW, schedule, fire.get()) : times;
            fire = times.next(fire.get());
        }
        return List.copyOf(fires);
    }

    @Override
    public void validate(String job, Schedule schedule) {
        FireSchedules.validate(job, schedule);
    }
}
