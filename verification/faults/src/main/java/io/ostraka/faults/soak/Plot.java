package io.ostraka.faults.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws the distribution of times as an image for the report's page. */
final class Plot {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 110;
    private static final int BASE = 24;
    private static final int BINS = 60;
    /** Width reserved for the last label of the scale. */
    private static final int LABEL = 40;
    /** Steps of the scale that are easy to read. */
    private static final long[] STEPS = {1, 2, 5};

    private Plot() {}

    /** Draws a histogram of the times and states their median, 95th percentile and maximum. */
    static String of(String title, List<Long> millis) {
        List<Long> sorted = new ArrayList<>(millis);
        sorted.sort(null);
        StringBuilder drawing = new StringBuilder("<figure><figcaption>" + Report.escaped(title));
        if (sorted.isEmpty()) {
            return drawing.append(": none</figcaption></figure>\n").toString();
        }
        drawing.append(String.format(
                Locale.ROOT,
                " <span class=\"quiet\">(%,d; median %s, 95 %% within %s, slowest %s)</span></figcaption>\n",
                sorted.size(),
                time(percentile(sorted, 50)),
                time(percentile(sorted, 95)),
                time(percentile(sorted, 100))));
        long step = step(percentile(sorted, 100));
        double bin = Math.max(1, 1 + percentile(sorted, 100)) / (double) BINS;
        int[] counts = new int[BINS];
        sorted.forEach(each -> counts[(int) (each / bin)]++);
        int most = 0;
        for (int count : counts) {
            most = Math.max(most, count);
        }
        drawing.append(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" font-size=\"11\" fill=\"#666\">\n",
                WIDTH,
                HEIGHT + BASE,
                WIDTH,
                HEIGHT + BASE));
        double width = WIDTH / (double) BINS;
        for (int i = 0; i < BINS; i++) {
            double height = counts[i] == 0 ? 0 : Math.max(2, (double) counts[i] * HEIGHT / most);
            if (height > 0) {
                rect(drawing, i * width, HEIGHT - height, width - 1, height);
            }
        }
        double scale = WIDTH / (bin * BINS);
        for (long at = 0; at * scale < WIDTH - LABEL; at += step) {
            double x = at * scale;
            drawing.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%.1f %d v5\" stroke=\"#999\"/><text x=\"%.1f\" y=\"%d\">%s</text>\n",
                    x,
                    HEIGHT,
                    x + 2,
                    HEIGHT + BASE - 8,
                    time(at)));
        }
        drawing.append(String.format(Locale.ROOT, "<path d=\"M0 %d H%d\" stroke=\"#999\"/>", HEIGHT, WIDTH));
        double median = percentile(sorted, 50) * scale;
        drawing.append(String.format(
                Locale.ROOT,
                "<path d=\"M%.1f 0 V%d\" stroke=\"#b3261e\" stroke-dasharray=\"3 3\"/>\n</svg></figure>\n",
                median,
                HEIGHT));
        return drawing.toString();
    }

    private static void rect(StringBuilder drawing, double x, double y, double width, double height) {
        drawing.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#5b7fa6\"/>\n",
                x,
                y,
                width,
                height));
    }

    /** Returns the smallest step that divides the scale into at most ten intervals. */
    private static long step(long whole) {
        for (long unit = 1; ; unit *= 10) {
            for (long each : STEPS) {
                if (whole / (each * unit) <= 10) {
                    return each * unit;
                }
            }
        }
    }

    private static long percentile(List<Long> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    private static String time(long millis) {
        return millis < 1_000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
    }
}
