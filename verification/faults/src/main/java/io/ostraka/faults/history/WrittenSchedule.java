package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as stored in a plan. This class computes the fires one after the other. It can parse every schedule that
 * occurs in histories: fixed rates, crons with a step of seconds, delays after an item's last run, and single fires.
 * Each schedule may have a start, an end, excluded windows in UTC, and jitter.
 */
final class WrittenSchedule {
    private static final Pattern SECONDS = Pattern.compile("0/(\\d+) \\* \\* \\* \\* \\?");

    private final JsonObject base;
    private final String type;
    private final Instant anchor;
    private final @Nullable Duration period;
    /** Instant of a one-time schedule. */
    private final @Nullable Instant instant;
    /** Single fire of a one-time schedule. It is later than the instant if the instant passed before the plan. */
    private final @Nullable Instant single;

    private final Instant start;
    private final Instant end;
    private final List<LocalTime[]> windows = new ArrayList<>();
    private final Duration jitter;

    WrittenSchedule(JsonObject json, Instant planned) {
        boolean bounded = json.get("type").getAsString().equals("bounded");
        base = bounded ? json.getAsJsonObject("base") : json;
        type = base.get("type").getAsString();
        start = bounded && json.has("start") ? Instant.parse(json.get("start").getAsString()) : Instant.MIN;
        end = bounded && json.has("end") ? Instant.parse(json.get("end").getAsString()) : Instant.MAX;
        jitter = bounded ? Duration.parse(json.get("jitter").getAsString()) : Duration.ZERO;
        if (bounded && json.has("excluded")) {
            json.getAsJsonObject("excluded")
                    .getAsJsonArray("windows")
                    .forEach(window -> windows.add(new LocalTime[] {
                        LocalTime.parse(window.getAsJsonObject().get("from").getAsString()),
                        LocalTime.parse(window.getAsJsonObject().get("to").getAsString())
                    }));
        }
        instant = type.equals("once") ? Instant.parse(base.get("at").getAsString()) : null;
        single = instant == null ? null : later(instant, planned);
        Matcher cron =
                SECONDS.matcher(type.equals("cron") ? base.get("expression").getAsString() : "");
        if (cron.matches()) {
            period = Duration.ofSeconds(Integer.parseInt(cron.group(1)));
            anchor = Instant.EPOCH;
        } else {
            period = type.equals("fixedRate") ? duration("period") : null;
            anchor = period != null && start.isAfter(Instant.MIN) ? start : planned;
        }
    }

    private Duration duration(String field) {
        return Duration.parse(base.get(field).getAsString());
    }

    /** Returns whether the schedule fires periodically, independently of runs. */
    boolean isRhythm() {
        return period != null;
    }

    /** Returns the distance between two fires, apart from excluded windows. */
    Optional<Duration> period() {
        return Optional.ofNullable(period);
    }

    /** Returns whether the time of the next fire depends on the item's last run. */
    boolean isPause() {
        return List.of("fixedDelay", "adaptive", "continuous").contains(type);
    }

    /** Returns the instant of a one-time schedule, which may have passed before its fire. */
    Optional<Instant> instant() {
        return Optional.ofNullable(instant);
    }

    /** Returns the fire of a one-time schedule. */
    Optional<Instant> single() {
        return Optional.ofNullable(single);
    }

    boolean isUnderstood() {
        return isRhythm() || isPause() || single != null || type.equals("onDemand");
    }

    /** Returns the longest delay with which an item may start after the time of a fire. */
    Duration jitter() {
        return jitter;
    }

    /**
     * Returns the delay with which an item starts after the time of a fire. The delay is a hash of job and item, mixed
     * by the steps of SplitMix64.
     */
    Duration shift(Item item) {
        if (jitter.isZero()) {
            return Duration.ZERO;
        }
        long hash = ((long) item.job().hashCode() << 32) | (item.key().hashCode() & 0xffff_ffffL);
        hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
        return Duration.ofMillis(Math.floorMod(hash ^ (hash >>> 31), jitter.toMillis()));
    }

    /** Returns the time limit of each run. */
    Optional<Duration> limit() {
        return type.equals("adaptive") ? Optional.of(duration("base")) : Optional.empty();
    }

    /** Returns the number of fires of an item in a time span. */
    long fires(WrittenRecord record, Instant after, Instant upTo) {
        if (isPause()) {
            return due(record)
                            .filter(due -> due.isAfter(after) && !due.isAfter(upTo))
                            .isPresent()
                    ? 1
                    : 0;
        }
        if (single != null) {
            return next(after).filter(at -> !at.isAfter(upTo)).isPresent() ? 1 : 0;
        }
        if (period == null) {
            return 0;
        }
        Instant last = upTo.isBefore(end) ? upTo : end;
        Instant from = after.isBefore(start) ? start.minusMillis(1) : after;
        if (windows.isEmpty()) {
            return from.isBefore(last) ? number(last) - number(from) : 0;
        }
        long count = 0;
        for (Optional<Instant> at = next(from); at.isPresent() && !at.get().isAfter(last); at = next(at.get())) {
            count++;
        }
        return count;
    }

    /** Returns the first fire after an instant, for a periodic or a one-time schedule. */
    Optional<Instant> next(Instant after) {
        if (single != null && instant != null) {
            boolean fires =
                    after.isBefore(single) && !instant.isBefore(start) && !instant.isAfter(end) && !excluded(instant);
            return fires ? Optional.of(single) : Optional.empty();
        }
        Instant from = after.isBefore(start) ? start.minusMillis(1) : after;
        Duration step = period == null ? Duration.ZERO : period;
        Instant fire = anchor.plus(step.multipliedBy(number(from) + 1));
        while (excluded(fire)) {
            fire = fire.plus(step);
        }
        return fire.isAfter(end) ? Optional.empty() : Optional.of(fire);
    }

    /** Returns the next fire of an item, for a schedule whose fires depend on the item's last run. */
    Optional<Instant> due(WrittenRecord record) {
        Instant decided = later(record.cursor, anchor);
        Instant last = later(decided, record.endedAt().orElse(Instant.MIN));
        Instant due = later(
                last.truncatedTo(ChronoUnit.MILLIS).plus(pause(record)),
                decided.truncatedTo(ChronoUnit.MILLIS).plusMillis(1));
        due = later(due, start);
        while (excluded(due)) {
            due = due.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1); // the limits of windows are whole seconds
        }
        return due.isAfter(end) ? Optional.empty() : Optional.of(due);
    }

    private Duration pause(WrittenRecord record) {
        Optional<Duration> current = record.currentDelay();
        switch (type) {
            case "fixedDelay" -> {
                return duration("delay");
            }
            case "adaptive" -> {
                Duration least = duration("base");
                Duration most = least.multipliedBy(base.get("bound").getAsInt());
                Duration wanted = current.orElse(least);
                return wanted.compareTo(least) < 0 ? least : wanted.compareTo(most) > 0 ? most : wanted;
            }
            default -> {
                return current.orElse(Duration.ZERO).isZero() ? Duration.ZERO : duration("idle");
            }
        }
    }

    /** Returns the possible pauses after the end of a run; an empty string means no pause. */
    List<String> pausesAfter(String outcome, Optional<Duration> before) {
        switch (type) {
            case "adaptive" -> {
                Duration least = duration("base");
                Duration most = least.multipliedBy(base.get("bound").getAsInt());
                Duration from = before.orElse(least).compareTo(least) < 0 ? least : before.orElse(least);
                Duration doubled = from.multipliedBy(2);
                return List.of(
                        switch (outcome) {
                            case "SUCCEEDED" -> "";
                            case "TIMED_OUT" -> (doubled.compareTo(most) > 0 ? most : doubled).toString();
                            default -> before.map(Duration::toString).orElse("");
                        });
            }
            case "continuous" -> {
                String idle = duration("idle").toString();
                return outcome.equals("SUCCEEDED") ? List.of(idle, Duration.ZERO.toString()) : List.of(idle);
            }
            default -> {
                return List.of("");
            }
        }
    }

    private boolean excluded(Instant instant) {
        LocalTime time = LocalTime.ofInstant(instant, ZoneOffset.UTC);
        return windows.stream()
                .anyMatch(window -> window[0].isBefore(window[1])
                        ? !time.isBefore(window[0]) && time.isBefore(window[1])
                        : !time.isBefore(window[0]) || time.isBefore(window[1]));
    }

    private long number(Instant at) {
        return period == null ? 0 : Math.floorDiv(Duration.between(anchor, at).toMillis(), period.toMillis());
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
