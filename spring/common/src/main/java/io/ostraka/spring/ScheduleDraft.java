package io.ostraka.spring;

import io.ostraka.api.Exclusions;
import io.ostraka.api.Schedule;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that is being built. The kind of schedule, its time zone and each of its bounds are set independently of
 * each other, so that a property can replace only one of them.
 */
final class ScheduleDraft {
    /** Cron expression of a job that fires only when triggered, as in Spring's {@code @Scheduled}. */
    private static final String ON_DEMAND = "-";

    private final PropertyPlaces places;
    private String place = "";
    private @Nullable String cron;
    private @Nullable ZoneId zone;
    private Schedule other = Schedule.onDemand();
    private @Nullable Instant start;
    private @Nullable Instant end;
    private @Nullable Duration jitter;
    private JobProperties.@Nullable Excluded excluded;

    ScheduleDraft(PropertyPlaces places) {
        this.places = places;
    }

    /** Applies the schedule of an annotation, which has no bounds. The time zone UTC counts as not set. */
    void apply(Schedule annotated) {
        if (annotated instanceof Schedule.Cron expression) {
            cron = expression.expression();
            if (!expression.zone().normalized().equals(ZoneOffset.UTC)) {
                zone = expression.zone();
            }
        } else if (!(annotated instanceof Schedule.OnDemand)) {
            cron = null;
            other = annotated;
        }
    }

    /**
     * Applies the properties that are set.
     *
     * @param prefix name of the group of properties
     * @return file and line of a property that has changed the schedule; null if no property has changed it
     * @throws InvalidPropertyException if a property is not accepted
     */
    @Nullable String apply(String prefix, JobProperties layer) {
        List<String> changed = new ArrayList<>(kind(prefix, layer));
        zone = take(changed, "timeZone", layer.timeZone(), zone);
        start = take(changed, "start", layer.start(), start);
        end = take(changed, "end", layer.end(), end);
        jitter = take(changed, "jitter", layer.jitter(), jitter);
        excluded = take(changed, "excluded", layer.excluded(), excluded);
        if (changed.isEmpty()) {
            return null;
        }
        place = places.of(prefix, changed.get(0));
        return place;
    }

    /** Applies the kind of schedule. Returns the names of the properties that set it: one or none. */
    private List<String> kind(String prefix, JobProperties layer) {
        Map<String, Supplier<Schedule>> kinds = new LinkedHashMap<>();
        put(kinds, "cron", layer.cron(), expression -> Schedule.onDemand());
        put(kinds, "fixedRate", layer.fixedRate(), Schedule::fixedRate);
        put(kinds, "fixedDelay", layer.fixedDelay(), Schedule::fixedDelay);
        put(kinds, "adaptive", layer.adaptive(), ScheduleDraft::adaptive);
        put(kinds, "continuous", layer.continuous(), Schedule::continuous);
        put(kinds, "once", layer.once(), Schedule::once);
        List<String> names = List.copyOf(kinds.keySet());
        if (names.size() > 1) {
            throw new InvalidPropertyException(
                    names.stream().map(name -> places.of(prefix, name)).collect(Collectors.joining(" and "))
                            + " are both set; accepted: one of them",
                    null);
        }
        kinds.forEach((name, schedule) -> {
            other = checked(places.of(prefix, name), schedule);
            cron = ON_DEMAND.equals(layer.cron()) ? null : layer.cron();
        });
        return names;
    }

    private static Schedule adaptive(JobProperties.Adaptive adaptive) {
        if (adaptive.base() == null || adaptive.bound() == null) {
            throw new IllegalArgumentException(
                    "adaptive base is " + adaptive.base() + " and bound is " + adaptive.bound() + "; accepted: both");
        }
        return Schedule.adaptive(adaptive.base(), adaptive.bound());
    }

    private static <T> void put(
            Map<String, Supplier<Schedule>> kinds, String name, @Nullable T value, Function<T, Schedule> schedule) {
        if (value != null) {
            kinds.put(name, () -> schedule.apply(value));
        }
    }

    private static <T> @Nullable T take(List<String> changed, String name, @Nullable T value, @Nullable T before) {
        if (value == null) {
            return before;
        }
        changed.add(name);
        return value;
    }

    private static <T> T checked(String place, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new InvalidPropertyException("property " + place + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns the schedule.
     *
     * @throws InvalidPropertyException if its parts do not fit together
     */
    Schedule build() {
        ZoneId in = Objects.requireNonNullElse(zone, ZoneOffset.UTC);
        return checked(place, () -> {
            Schedule schedule = cron == null ? other : Schedule.cron(cron, in);
            if (schedule instanceof Schedule.OnDemand
                    || (start == null && end == null && jitter == null && excluded == null)) {
                return schedule;
            }
            return new Schedule.Bounded(
                    schedule,
                    start,
                    end,
                    excluded == null ? null : exclusions(excluded, in),
                    Objects.requireNonNullElse(jitter, Duration.ZERO));
        });
    }

    private static Exclusions exclusions(JobProperties.Excluded times, ZoneId zone) {
        return new Exclusions(
                zone,
                Objects.requireNonNullElse(times.weekdays(), Set.of()),
                Set.copyOf(Objects.requireNonNullElse(times.dates(), List.of())),
                Objects.requireNonNullElse(times.yearly(), List.<String>of()).stream()
                        .map(day -> MonthDay.parse("--" + day))
                        .collect(Collectors.toSet()),
                Set.copyOf(Objects.requireNonNullElse(times.monthly(), List.of())),
                Objects.requireNonNullElse(times.windows(), List.<String>of()).stream()
                        .map(ScheduleDraft::window)
                        .toList(),
                Objects.requireNonNullElse(times.crons(), List.of()));
    }

    private static Exclusions.Window window(String text) {
        String[] times = text.split("-", -1);
        if (times.length != 2) {
            throw new IllegalArgumentException(
                    "excluded window is '" + text + "'; accepted: two times, such as 22:00-06:00");
        }
        return new Exclusions.Window(LocalTime.parse(times[0].trim()), LocalTime.parse(times[1].trim()));
    }
}
