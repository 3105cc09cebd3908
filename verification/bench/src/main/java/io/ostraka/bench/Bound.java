package io.ostraka.bench;

/**
 * A bound for a figure of this library.
 *
 * @param text description of the figure, and the reason for the bound
 * @param value the measured figure; NaN if it was not measured
 * @param least the smallest accepted value
 * @param most the largest accepted value; NaN if it depends on a figure that was not measured
 */
record Bound(String text, double value, double least, double most) {
    /** The result of comparing a figure with its bound. */
    enum Verdict {
        REACHED,
        MISSED,
        NOT_MEASURED
    }

    static Bound atMost(String text, double value, double most) {
        return new Bound(text, value, Double.NEGATIVE_INFINITY, most);
    }

    static Bound atLeast(String text, double value, double least) {
        return new Bound(text, value, least, Double.POSITIVE_INFINITY);
    }

    static Bound between(String text, double value, double least, double most) {
        return new Bound(text, value, least, most);
    }

    static Bound exactly(String text, double value, double expected) {
        return new Bound(text, value, expected, expected);
    }

    Verdict verdict() {
        if (Double.isNaN(value) || Double.isNaN(least) || Double.isNaN(most)) {
            return Verdict.NOT_MEASURED;
        }
        return value >= least && value <= most ? Verdict.REACHED : Verdict.MISSED;
    }

    /** Returns the bound as text, such as {@code at most 4.6}. */
    String limit() {
        if (least == most) {
            return "exactly " + Table.number(least);
        }
        String atLeast =
                least > Double.NEGATIVE_INFINITY || Double.isNaN(least) ? "at least " + Table.number(least) : "";
        String atMost = most < Double.POSITIVE_INFINITY || Double.isNaN(most) ? "at most " + Table.number(most) : "";
        return atLeast + (atLeast.isEmpty() || atMost.isEmpty() ? "" : ", ") + atMost;
    }
}
