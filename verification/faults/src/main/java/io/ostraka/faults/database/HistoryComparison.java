package io.ostraka.faults.database;

import io.ostraka.faults.history.Item;
import io.ostraka.faults.history.RecordedClaim;
import io.ostraka.faults.history.RecordedClaim.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares the rows of a history with the claims in the servers' logs.
 *
 * @param claims number of claims that were decided: they have ended, were handed over or taken over
 * @param rows number of rows about runs
 * @param missing decided claims without a row
 * @param violations facts that contradict the promises of the history, without the missing rows
 */
public record HistoryComparison(long claims, long rows, List<RecordedClaim> missing, List<String> violations) {
    /** Outcomes that only the owner of a claim reports. */
    private static final Set<String> OWN_OUTCOMES = Set.of("SUCCEEDED", "FAILED", "TIMED_OUT");

    /** Copies the lists. */
    public HistoryComparison {
        missing = List.copyOf(missing);
        violations = List.copyOf(violations);
    }

    /** Compares a history with the recorded claims. */
    public static HistoryComparison of(List<RecordedClaim> claims, StoredHistory stored) {
        Map<String, StoredRun> rows = new HashMap<>();
        List<String> violations = new ArrayList<>();
        for (StoredRun row : stored.runs()) {
            rows.put(key(row.item(), row.nonce()), row);
        }
        List<RecordedClaim> missing = new ArrayList<>();
        Set<String> known = new HashSet<>();
        long decided = 0;
        for (RecordedClaim claim : claims) {
            String key = key(claim.item(), claim.nonce());
            known.add(key);
            StoredRun row = rows.get(key);
            if (row != null) {
                compare(claim, row, violations);
            }
            if (claim.decision() != Decision.NONE) {
                decided++;
                if (row == null) {
                    missing.add(claim);
                }
            }
        }
        rows.forEach((key, row) -> {
            if (!known.contains(key)) {
                violations.add("a row about a claim that was never made: " + row);
            }
        });
        rollups(stored, violations);
        return new HistoryComparison(decided, stored.runs().size(), missing, violations);
    }

    private static String key(Item item, String nonce) {
        return item + " " + nonce;
    }

    private static void compare(RecordedClaim claim, StoredRun row, List<String> violations) {
        boolean same =
                claim.fire().equals(row.fire()) && claim.owner().equals(row.owner()) && claim.number() == row.number();
        boolean ended = claim.decision() == Decision.ENDED || claim.decision() == Decision.HANDED_OVER;
        if (!same) {
            violations.add("the row of " + claim + " describes another claim: " + row);
        } else if (ended && row.owned() && !agree(row.outcome(), claim.outcome())) {
            violations.add("the row of " + claim + " has another outcome: " + row);
        } else if (ended && row.owned() && row.fenced()) {
            violations.add("the row of " + claim + " says that its owner has lost the item: " + row);
        }
    }

    /**
     * Returns whether two outcomes agree. They may differ if an instance loses its session just after a run has failed.
     * The instance then gives the run up, so that another instance takes the fire over, but it has already reported the
     * failure.
     */
    private static boolean agree(String reported, String recorded) {
        return reported.equals(recorded) || (reported.equals("FAILED") && recorded.equals("INTERRUPTED"));
    }

    /**
     * Returns the missing rows that no kill explains. The last report of a killed process about an item may not have
     * reached its spool. All earlier reports, and the reports of other processes, must have reached it.
     *
     * @param claims recorded claims
     * @param killed function that returns whether a process was killed
     */
    public List<String> unexplained(List<RecordedClaim> claims, Predicate<String> killed) {
        Map<String, RecordedClaim> last = lastReports(claims);
        return missing.stream()
                .map(claim -> mistake(claim, last, killed))
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * Returns the missing rows of claims that a process has taken over just before it was killed. Such a row can really
     * be lost: the item's record contains the latest claim and the latest end, and not the claim between them.
     *
     * @param claims recorded claims
     * @param killed function that returns whether a process was killed
     */
    public List<RecordedClaim> lostWithTheTaker(List<RecordedClaim> claims, Predicate<String> killed) {
        Map<String, RecordedClaim> last = lastReports(claims);
        return missing.stream()
                .filter(claim -> claim.decision() == Decision.TAKEN_OVER && mistake(claim, last, killed) == null)
                .toList();
    }

    /** Returns the last claim that each process has decided, for each item. */
    private static Map<String, RecordedClaim> lastReports(List<RecordedClaim> claims) {
        Map<String, RecordedClaim> last = new HashMap<>();
        claims.stream()
                .filter(claim -> claim.decision() != Decision.NONE)
                .forEach(claim -> last.put(claim.item() + " " + claim.reporter(), claim));
        return last;
    }

    private static @Nullable String mistake(
            RecordedClaim claim, Map<String, RecordedClaim> last, Predicate<String> killed) {
        if (claim.reporter() != null && !killed.test(claim.reporter())) {
            return "no row, although the process that reported it was not killed: " + claim;
        }
        return last.get(claim.item() + " " + claim.reporter()) == claim
                ? null
                : "no row, although the process has reported a later run of the item: " + claim;
    }

    /** Checks that the roll-ups count each run once whose end its owner has reported. */
    private static void rollups(StoredHistory stored, List<String> violations) {
        Map<String, Long> expected = stored.runs().stream()
                .filter(row -> row.owned() && OWN_OUTCOMES.contains(row.outcome()))
                .collect(Collectors.groupingBy(
                        row -> row.item().job() + " " + row.outcome(), TreeMap::new, Collectors.counting()));
        Map<String, Long> counted = new TreeMap<>(stored.rollups());
        counted.keySet().removeIf(key -> !OWN_OUTCOMES.contains(key.substring(key.indexOf(' ') + 1)));
        Set<String> keys = new HashSet<>(expected.keySet());
        keys.addAll(counted.keySet());
        for (String key : keys) {
            long rows = expected.getOrDefault(key, 0L);
            long sum = counted.getOrDefault(key, 0L);
            if (rows != sum) {
                violations.add("the roll-ups count " + sum + " runs of " + key + ", and " + rows + " rows exist");
            }
        }
    }

    /** Returns the number of missing rows, by the fate of the claim. */
    public Map<Decision, Long> missingByDecision() {
        Map<Decision, Long> numbers = new LinkedHashMap<>();
        missing.forEach(claim -> numbers.merge(claim.decision(), 1L, Long::sum));
        return numbers;
    }
}
