package io.ostraka.core.model;

import io.ostraka.api.SkipReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One or more successive fires that became due but were skipped.
 *
 * @param from first skipped fire
 * @param to last skipped fire
 * @param count number of skipped fires; {@link FireTimes#COUNT_LIMIT} or more if they were not counted to the end
 * @param reason reason for the skip
 */
public record Skipped(Instant from, Instant to, long count, SkipReason reason) {
    /**
     * Skipped fires, with the part of a skip that they cover. The parts of a skip follow each other without a gap, so a
     * history notices if the report of one of them is lost.
     *
     * @param fires the skipped fires
     * @param after the cursor before this part
     * @param upTo the cursor after this part
     */
    public record Part(Skipped fires, Instant after, Instant upTo) {}

    /**
     * Returns the parts of one skip, in the order of their last fires.
     *
     * @param fires all skipped fires
     * @param after the cursor before the skip
     * @param upTo the cursor after the skip
     */
    public static List<Part> parts(List<Skipped> fires, Instant after, Instant upTo) {
        List<Skipped> sorted = new ArrayList<>(fires);
        sorted.sort(Comparator.comparing(Skipped::to));
        List<Part> parts = new ArrayList<>();
        Instant reached = after;
        for (int i = 0; i < sorted.size(); i++) {
            Instant end = i == sorted.size() - 1 ? upTo : sorted.get(i).to;
            parts.add(new Part(sorted.get(i), reached, end));
            reached = end;
        }
        return parts;
    }
}
