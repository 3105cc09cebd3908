package io.ostraka.examples.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Displays the demo. On a terminal it draws a picture and updates it continuously; elsewhere it prints lines. Uses
 * ASCII only, which every terminal can display. Thread-safe.
 */
final class Screen implements AutoCloseable {
    /** Amount of output. */
    enum Mode {
        /** One line per phase. */
        QUIET,
        /** Lines for phases, events and occasional progress. */
        LINES,
        /** The picture. */
        PICTURE
    }

    private static final String OPEN = "\033[?1049h\033[?25l\033[?7l";
    private static final String HOME = "\033[H";
    private static final String CLEAR_LINE = "\033[K";
    private static final String CLEAR_REST = "\033[J";
    private static final String CLOSE = "\033[?7h\033[?25h\033[?1049l";
    private static final int EVENTS = 8;
    private static final int LINES_BETWEEN_PROGRESS = 10;

    private final Mode mode;
    private final PrintStream out;
    private final long beginNanos = System.nanoTime();
    private final List<String> phases = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private boolean open;
    private boolean closed;
    private int pictures;

    Screen(Mode mode, PrintStream out) {
        this.mode = mode;
        this.out = out;
    }

    /** Shows that the story has reached a new phase. */
    synchronized void phase(String text) {
        String line = stamped(text);
        phases.add(line);
        events.add(line);
        if (mode != Mode.PICTURE) {
            out.println(line);
        }
    }

    /** Shows an event within a phase. */
    synchronized void event(String text) {
        String line = stamped(text);
        events.add(line);
        if (mode == Mode.LINES) {
            out.println(line);
        }
    }

    /** Shows the present state; called several times a second. */
    synchronized void show(OrderDatabase.Progress progress, Board board, List<Worker> workers) {
        switch (mode) {
            case PICTURE -> draw(progress, board, workers);
            case LINES -> {
                if (pictures++ % LINES_BETWEEN_PROGRESS == 0 && progress.all() > 0) {
                    out.println(stamped(bar(progress.allSettled(), progress.all())));
                }
            }
            case QUIET -> {}
        }
    }

    private void draw(OrderDatabase.Progress progress, Board board, List<Worker> workers) {
        if (closed) {
            return;
        }
        if (!open) {
            open = true;
            out.print(OPEN);
        }
        List<String> lines = new ArrayList<>();
        lines.add(stamped("Ostraka: " + progress.all() + " orders, " + SettleOrders.ITEMS + " items"));
        lines.add("");
        lines.add("item  worker          attempt      token  settled");
        for (Board.Run run : board.latest()) {
            int item = run.item();
            lines.add(String.format(
                    Locale.ROOT,
                    "%4d  %-15s %7d %10d  %s",
                    item,
                    ownerOf(run, workers),
                    run.attempt(),
                    run.token(),
                    bar(progress.settled().get(item), progress.total().get(item))));
        }
        while (lines.size() < SettleOrders.ITEMS + 3) {
            lines.add("");
        }
        lines.add(String.format(" all %38s %s", "", bar(progress.allSettled(), progress.all())));
        lines.add("");
        lines.add(String.join(
                "   ",
                workers.stream()
                        .map(worker -> worker.name() + " " + worker.state())
                        .toList()));
        lines.add("");
        lines.addAll(events.subList(Math.max(0, events.size() - EVENTS), events.size()));
        out.print(HOME + String.join(CLEAR_LINE + "\n", lines) + CLEAR_LINE + CLEAR_REST);
        out.flush();
    }

    private static String ownerOf(Board.Run run, List<Worker> workers) {
        String state = workers.stream()
                .filter(worker -> worker.name().equals(run.worker()))
                .findFirst()
                .map(Worker::state)
                .orElse("");
        boolean well = state.equals("working");
        return run.worker() + " " + (well ? run.ended() ? "idle" : "running" : state);
    }

    private static String bar(int done, int total) {
        int width = 20;
        int full = total == 0 ? 0 : done * width / total;
        return "[" + "#".repeat(full) + ".".repeat(width - full) + "] " + done + " / " + total;
    }

    /** Returns a line that starts with the elapsed time. */
    String stamped(String text) {
        return String.format(Locale.ROOT, "%5.1f s  %s", (System.nanoTime() - beginNanos) / 1e9, text);
    }

    /** Releases the terminal and prints the phases on it. Later output appears as lines. */
    @Override
    public synchronized void close() {
        if (mode == Mode.PICTURE && !closed) {
            out.print(open ? CLOSE : "");
            phases.forEach(out::println);
            out.flush();
        }
        closed = true;
    }
}
