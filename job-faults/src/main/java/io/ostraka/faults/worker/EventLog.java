package io.ostraka.faults.worker;

import com.google.gson.JsonParseException;
import io.ostraka.faults.history.Event;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of what happened in one process, in its order, a JSON line each. A line is written with one call, so that a kill
 * loses what is being written at most. Thread-safe.
 */
public final class EventLog implements Closeable {
    /**
     * Something that happened.
     *
     * @param nanos the machine's monotonic clock, which all processes of one host share
     * @param wall the machine's true wall clock, whatever clock the process itself goes by
     */
    public record Line(long nanos, Instant wall, Event event) {
        /** How far the wall clock was ahead of the monotonic one at first: so no line's two readings are ever apart. */
        private static final Duration AHEAD = ahead();

        private static Duration ahead() {
            long closest = Long.MAX_VALUE;
            Duration ahead = Duration.ZERO;
            for (int i = 0; i < READINGS; i++) {
                long before = System.nanoTime();
                Instant wall = Instant.now();
                long took = System.nanoTime() - before;
                if (took < closest) {
                    closest = took;
                    ahead = Duration.between(Instant.EPOCH, wall).minusNanos(before + took / 2);
                }
            }
            return ahead;
        }

        /** Makes the line of an event that happens now. */
        public static Line now(Event event) {
            long nanos = System.nanoTime();
            return new Line(nanos, Instant.EPOCH.plus(AHEAD).plusNanos(nanos), event);
        }

        /** Returns it as JSON, without a line end. */
        public String json() {
            return Json.GSON.toJson(this);
        }

        /**
         * Reads a line.
         *
         * @throws IllegalArgumentException when it is none
         */
        public static Line parse(String json) {
            try {
                return Json.GSON.fromJson(json, Line.class);
            } catch (JsonParseException e) {
                throw new IllegalArgumentException("not a line of an event log: " + json, e);
            }
        }
    }

    private static final int READINGS = 100;

    /** Not a channel: an interrupted thread would close it. */
    private final FileOutputStream file;

    /** Opens a file for writing at its end, and creates it if need be. */
    public EventLog(Path path) throws IOException {
        file = new FileOutputStream(path.toFile(), true);
    }

    /**
     * Writes what happens now; returns when the operating system has it.
     *
     * @throws UncheckedIOException when it can't be written
     */
    public synchronized Line append(Event event) {
        Line line = Line.now(event);
        write(line);
        return line;
    }

    /** Writes what has happened before, out of its order. */
    synchronized void append(Line line) {
        write(line);
    }

    private void write(Line line) {
        try {
            file.write((line.json() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("an event is lost: " + line, e);
        }
    }

    /**
     * Reads a file, also one that is being written: all lines but a last one that has no end.
     *
     * @return in the order in which things happened
     * @throws IllegalArgumentException when a line that has an end can't be read
     */
    public static List<Line> read(Path path) throws IOException {
        List<Line> lines = new ArrayList<>();
        if (!Files.exists(path)) {
            return lines; // the process has not come so far
        }
        String text = Files.readString(path);
        String whole = text.substring(0, text.lastIndexOf('\n') + 1);
        whole.lines().map(Line::parse).forEach(lines::add);
        lines.sort((a, b) -> Long.compare(a.nanos, b.nanos));
        return lines;
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
