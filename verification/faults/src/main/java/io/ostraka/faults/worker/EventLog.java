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
 * A file with the events of one process, in order, one JSON object per line. Each line is written with a single call,
 * so a kill of the process loses at most the last line. Thread-safe.
 */
public final class EventLog implements Closeable {
    /**
     * An event with its time.
     *
     * @param nanos time by the machine's monotonic clock, which all processes of one host share
     * @param wall time by the machine's wall clock, even if the process runs with a wrong clock
     */
    public record Line(long nanos, Instant wall, Event event) {
        /**
         * Offset of the wall clock from the monotonic clock when this process started. It stays constant, so that the
         * two times of a line always agree.
         */
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

        /** Creates the line of an event that happens now. */
        public static Line now(Event event) {
            long nanos = System.nanoTime();
            return new Line(nanos, Instant.EPOCH.plus(AHEAD).plusNanos(nanos), event);
        }

        /** Returns this line as JSON, without a line end. */
        public String json() {
            return Json.GSON.toJson(this);
        }

        /**
         * Reads a line.
         *
         * @throws IllegalArgumentException if the text is not a line of an event log
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

    /** Stream to the file. A channel cannot be used, because an interrupt of the writing thread would close it. */
    private final FileOutputStream file;

    /** Opens a file for appending, and creates it if it does not exist. */
    public EventLog(Path path) throws IOException {
        file = new FileOutputStream(path.toFile(), true);
    }

    /**
     * Writes an event that happens now. Returns when the operating system has received the line.
     *
     * @throws UncheckedIOException if the line cannot be written
     */
    public synchronized Line append(Event event) {
        Line line = Line.now(event);
        write(line);
        return line;
    }

    /** Writes an event that happened earlier. Its line is then out of order in the file. */
    synchronized void append(Line line) {
        write(line);
    }

    private void write(Line line) {
        try {
            file.write((line.json() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("an event could not be written and is lost: " + line, e);
        }
    }

    /**
     * Reads all lines of a file except an incomplete last line. The process may still be writing to the file.
     *
     * @return lines in the order of their events
     * @throws IllegalArgumentException if a complete line cannot be parsed
     */
    public static List<Line> read(Path path) throws IOException {
        List<Line> lines = new ArrayList<>();
        if (!Files.exists(path)) {
            return lines; // the process has not created it yet
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
