package io.ostraka.cli.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table of texts.
 *
 * @param columns columns; the first one contains the names for the output {@code name}
 * @param rows rows, each with one cell for each column
 */
public record Table(List<Column> columns, List<List<String>> rows) {
    private static final int SMALLEST = 8;

    /**
     * Longest text of a cell, in characters, which only values of parameters exceed. A longer text of a hostile server
     * would widen its column in all rows, and so fill the memory. JSON and YAML have the whole text.
     */
    static final int LONGEST = 4_000;

    private static final String GAP = "  ";

    /**
     * A column.
     *
     * @param header text above the column
     * @param wide true if only the wide output has the column
     */
    record Column(String header, boolean wide) {}

    /**
     * The lines of a table as they are printed.
     *
     * @param lines header and rows; created one at a time, because a wide table needs more memory than its texts
     * @param cut true if the text of a cell was shortened
     */
    public record Lines(Stream<String> lines, boolean cut) {}

    /** Returns a table without rows. A plus sign at the end of a header marks a column of the wide output. */
    public static Table of(String... headers) {
        return new Table(
                Arrays.stream(headers)
                        .map(each -> each.endsWith("+")
                                ? new Column(each.substring(0, each.length() - 1), true)
                                : new Column(each, false))
                        .toList(),
                new ArrayList<>());
    }

    /** Adds a row. A cell without a value, or with an empty text, contains a hyphen. */
    public void add(@Nullable Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + columns.size() + " columns");
        }
        rows.add(Arrays.stream(cells)
                .map(each -> each == null || each.toString().isEmpty() ? "-" : each.toString())
                .map(each -> each.length() > LONGEST ? each.substring(0, LONGEST) + "…" : each)
                .map(Terminal::printable)
                .toList());
    }

    /**
     * Returns the lines.
     *
     * @param width largest width; 0 for no limit
     * @param wide true to show all columns, without shortening their texts
     */
    public Lines lines(int width, boolean wide, Palette palette) {
        int[] shown = IntStream.range(0, columns.size())
                .filter(column -> wide || !columns.get(column).wide())
                .toArray();
        int[] widths = new int[shown.length];
        for (int i = 0; i < shown.length; i++) {
            int column = shown[i];
            widths[i] = rows.stream()
                    .mapToInt(row -> Width.of(row.get(column)))
                    .max()
                    .orElse(0);
            widths[i] = Math.max(widths[i], columns.get(column).header().length());
        }
        boolean cut = width > 0 && !wide && shrink(widths, width);
        String header = line(shown, widths, columns.stream().map(Column::header).toList(), Palette.PLAIN);
        return new Lines(
                Stream.concat(
                        Stream.of(palette.header(header)), rows.stream().map(row -> line(shown, widths, row, palette))),
                cut);
    }

    /**
     * Makes the widest columns smaller until the table fits, and returns whether this was necessary. The names in the
     * first column are not cut as long as the other columns can become smaller.
     */
    private static boolean shrink(int[] widths, int width) {
        int over = IntStream.of(widths).sum() + GAP.length() * (widths.length - 1) - width;
        boolean cut = over > 0;
        while (over > 0) {
            int widest = widths.length - 1;
            for (int i = widths.length - 1; i > 0; i--) {
                widest = widths[i] > widths[widest] ? i : widest;
            }
            widest = widths[widest] > SMALLEST ? widest : 0;
            if (widths[widest] <= SMALLEST) {
                break;
            }
            widths[widest]--;
            over--;
        }
        return cut;
    }

    private static String line(int[] shown, int[] widths, List<String> cells, Palette palette) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < shown.length; i++) {
            String cell = Width.cut(cells.get(shown[i]), widths[i]);
            line.append(i == 0 ? "" : GAP).append(palette.word(cell));
            if (i < shown.length - 1) {
                line.append(" ".repeat(widths[i] - Width.of(cell)));
            }
        }
        return line.toString();
    }
}
