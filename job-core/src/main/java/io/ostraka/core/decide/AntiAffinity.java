package io.ostraka.core.decide;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides to which other job a job yields. A job yields to the job that its {@code antiAffinity} names: it must not run
 * on instances that own items of that job. If several jobs refer to each other in a ring, the job of the ring whose name
 * comes first in the alphabet yields to no job.
 *
 * <p>With this rule, the placements reach a stable state. Each job names at most one other job, so the rule breaks
 * every ring. Without rings, the jobs have an order in which the placement of each job depends only on earlier jobs.
 */
public final class AntiAffinity {
    private AntiAffinity() {}

    /**
     * Returns the job that {@code job} yields to; empty if there is none.
     *
     * @param named for each job with an {@code antiAffinity}, the job that it names
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
