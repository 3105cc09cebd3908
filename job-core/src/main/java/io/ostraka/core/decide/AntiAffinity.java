package io.ostraka.core.decide;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which job yields its instances to which other job. A job yields to the job that its {@code antiAffinity}
 * names. If these names form a ring, the alphabetically first job of the ring yields to no job.
 *
 * <p>Placements therefore reach a stable state. Each job names at most one other job, so this rule breaks every ring at
 * one point. Without rings, the jobs can be ordered so that the placement of each job depends only on earlier jobs.
 */
public final class AntiAffinity {
    private AntiAffinity() {}

    /**
     * Returns the job that this job must avoid; empty if there is none. The job must not run on the instances of that
     * job.
     *
     * @param named the named job, by the name of the job that names it
     */
    public static Optional<String> yieldsTo(String job, Map<String, String> named) {
        String other = named.get(job);
        if (other == null) {
            return Optional.empty();
        }
        Set<String> path = new HashSet<>();
        String first = job;
        for (String next = other; next != null && path.add(next); next = named.get(next)) {
            first = first.compareTo(next) < 0 ? first : next;
        }
        return path.contains(job) && first.equals(job) ? Optional.empty() : Optional.of(other);
    }
}
