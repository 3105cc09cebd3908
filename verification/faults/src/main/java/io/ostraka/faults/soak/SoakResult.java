package io.ostraka.faults.soak;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The result of one soak, or the sum of several.
 *
 * @param build revision under test
 * @param machine processors and Java version
 * @param seeds seeds of the plans
 * @param minutes total time
 * @param workers smallest number of workers
 * @param faults number of faults, by kind
 * @param missed number of faults that were not injected because their target was not available, by kind
 * @param tally counts of the fires
 * @param times recovery times in milliseconds, by kind
 * @param slowest slowest recoveries with their events, by kind
 * @param bounds stated bounds of recovery times
 * @param lacking figures that are too low for a meaningful result
 * @param history counts of the check of the history in the database; empty if there was no history
 * @param violations number of violations, by invariant
 * @param breaches the first violations, with details
 */
public record SoakResult(
        String build,
        String machine,
        List<Long> seeds,
        double minutes,
        int workers,
        Map<String, Long> faults,
        Map<String, Long> missed,
        FireCounts tally,
        Map<String, List<Long>> times,
        Map<String, List<Recovery>> slowest,
        List<Bound> bounds,
        List<String> lacking,
        Map<String, Long> history,
        Map<String, Long> violations,
        List<Breach> breaches) {
    private static final Gson GSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
    private static final int SLOWEST = 5;

    /**
     * A violation of an invariant.
     *
     * @param seed seed of the soak
     * @param invariant name of the broken invariant, such as I1, or another kind of violation
     * @param what description
     * @param trail events that show the violation
     */
    public record Breach(long seed, String invariant, String what, List<String> trail) {}

    /**
     * Returns true if there were no violations, all recoveries were within their bounds, and enough faults and runs
     * occurred.
     */
    public boolean held() {
        return isCorrect() && bounds.stream().allMatch(bound -> bound.broken().isEmpty());
    }

    /**
     * Returns true if there were no violations and enough faults and runs occurred. The times of the recoveries do not
     * matter.
     */
    boolean isCorrect() {
        return numberOfViolations() == 0 && lacking.isEmpty();
    }

    long numberOfViolations() {
        return violations.values().stream().mapToLong(Long::longValue).sum();
    }

    long numberOfFaults() {
        return faults.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the result in one line. */
    public String figure() {
        long broken = bounds.stream().mapToLong(bound -> bound.broken().size()).sum();
        return String.format(
                Locale.ROOT,
                "soak: %d seed%s, %.1f minutes, %d faults, %d runs of %d fires due, %d failed over, %d late writes"
                        + " refused, %d killed in a once-listener's call, %d violations, %d out of bounds%s",
                seeds.size(),
                seeds.size() == 1 ? "" : "s",
                minutes,
                numberOfFaults(),
                tally.all().runs(),
                tally.all().due(),
                tally.all().failedOver(),
                tally.refused(),
                tally.cut(),
                numberOfViolations(),
                broken,
                lacking.isEmpty() ? "" : ", too little: " + String.join("; ", lacking));
    }

    /** Adds up several results. */
    static SoakResult sum(Collection<SoakResult> parts) {
        SoakResult first = parts.iterator().next();
        Map<String, Long> faults = new TreeMap<>();
        Map<String, Long> missed = new TreeMap<>();
        Map<String, List<Long>> times = new LinkedHashMap<>();
        Map<String, List<Recovery>> slowest = new LinkedHashMap<>();
        Map<String, List<Bound>> bounds = new LinkedHashMap<>();
        Map<String, Long> history = new TreeMap<>();
        Map<String, Long> violations = new TreeMap<>();
        for (SoakResult part : parts) {
            part.faults.forEach((kind, count) -> faults.merge(kind, count, Long::sum));
            part.missed.forEach((kind, count) -> missed.merge(kind, count, Long::sum));
            part.times.forEach((sort, all) ->
                    times.computeIfAbsent(sort, key -> new ArrayList<>()).addAll(all));
            part.slowest.forEach((sort, all) ->
                    slowest.computeIfAbsent(sort, key -> new ArrayList<>()).addAll(all));
            part.history.forEach((what, number) -> history.merge(what, number, Long::sum));
            part.violations.forEach((invariant, number) -> violations.merge(invariant, number, Long::sum));
            part.bounds.forEach(bound -> bounds.computeIfAbsent(bound.name(), key -> new ArrayList<>())
                    .add(bound));
        }
        slowest.values().forEach(all -> {
            all.sort(Comparator.comparingLong(Recovery::millis).reversed());
            all.subList(Math.min(SLOWEST, all.size()), all.size()).clear();
        });
        return new SoakResult(
                first.build,
                first.machine,
                all(parts, SoakResult::seeds),
                parts.stream().mapToDouble(SoakResult::minutes).sum(),
                parts.stream().mapToInt(SoakResult::workers).min().orElse(0),
                faults,
                missed,
                FireCounts.sum(parts.stream().map(SoakResult::tally).toList()),
                times,
                slowest,
                bounds.values().stream().map(Bound::sum).toList(),
                all(parts, SoakResult::lacking),
                history,
                violations,
                all(parts, SoakResult::breaches));
    }

    private static <T> List<T> all(Collection<SoakResult> parts, Function<SoakResult, List<T>> of) {
        return parts.stream().flatMap(part -> of.apply(part).stream()).collect(Collectors.toList());
    }

    void write(Path file) throws IOException {
        Files.writeString(file, GSON.toJson(this) + "\n");
    }

    static SoakResult read(Path file) throws IOException {
        return GSON.fromJson(Files.readString(file), SoakResult.class);
    }
}
