package io.ostraka.core.decide;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which job yields to which. A job that names another yields to it, unless that leads round to the job itself (the other
 * names it, say) and its name is the first of that ring: then it yields to nobody.
 *
 * <p>So it comes to rest. A job names at most one other, so each ring is one road and loses one of its links; without rings
 * jobs can be put in an order in which each depends only on such as come before it. The first of them depends on none; and
 * once all before one rest, it rests with its own next placing.
 */
public final class AntiAffinity {
    private AntiAffinity() {}

    /**
     * Returns the job whose instances another one may not have.
     *
     * @param named for each job that names one, which
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
