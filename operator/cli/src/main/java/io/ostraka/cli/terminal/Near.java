package io.ostraka.cli.terminal;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Finds the known names that are nearest to a mistyped one. */
public final class Near {
    /** Begins the question in a hint. */
    public static final String QUESTION = "did you mean ";

    private static final int MOST = 3;
    private static final int SHORTEST = 3;
    private static final int LONGEST = 255;

    private Near() {}

    /** Returns a hint that follows a message, such as {@code ; did you mean settle?}; empty if no name is near. */
    public static String hint(String given, Collection<String> known) {
        return question(names(given, known));
    }

    /** Returns the hint for names; empty text if there are none. */
    public static String question(List<String> near) {
        return near.isEmpty() ? "" : "; " + QUESTION + String.join(" or ", near) + "?";
    }

    /** Returns the known names that are near to the given one, the nearest first. */
    public static List<String> names(String given, Collection<String> known) {
        String typed = given.toLowerCase(Locale.ROOT);
        if (typed.length() < SHORTEST || typed.length() > LONGEST) {
            return List.of(); // almost every other short name would be near, and no name is longer
        }
        int most = typed.length() / SHORTEST;
        return known.stream()
                .filter(each -> !each.isEmpty() && !each.equals(given))
                .distinct()
                .filter(each -> each.length() <= LONGEST) // a hostile server may send names of any length
                .filter(each -> distance(typed, each.toLowerCase(Locale.ROOT)) <= most)
                .sorted(Comparator.comparing((String each) -> distance(typed, each.toLowerCase(Locale.ROOT)))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST)
                .toList();
    }

    /**
     * Returns the number of characters that were added, left out, replaced or swapped with their neighbour. Returns 1
     * if one of the texts begins with the other.
     */
    private static int distance(String a, String b) {
        int shorter = Math.min(a.length(), b.length());
        if (shorter >= SHORTEST && !a.equals(b) && (a.startsWith(b) || b.startsWith(a))) {
            return 1;
        }
        int[][] costs = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                costs[i][j] = i == 0 || j == 0 ? i + j : step(a, b, i, j, costs);
            }
        }
        return costs[a.length()][b.length()];
    }

    private static int step(String a, String b, int i, int j, int[][] costs) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int cost = Math.min(costs[i - 1][j - 1] + (same ? 0 : 1), Math.min(costs[i - 1][j], costs[i][j - 1]) + 1);
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(cost, costs[i - 2][j - 2] + 1) : cost;
    }
}
