package io.ostraka.core.decide;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which of two jobs yields its instances to the other. A job yields to the job that it names, unless these names
 * form a ring and the job comes first in it by name; that job yields to none.
 *
 * <p>So placements settle. Each job names at most one other job, so every ring loses exactly one of its links, and without
 * rings the jobs have an order in which each depends only on earlier ones.
 */
public final class AntiAffinity {
    private AntiAffinity() {}

    /**
     * Returns the job that a job must keep apart from; empty if there is none.
     *
     * @param named the job that a job names, by the job that names it
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
