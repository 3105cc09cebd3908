package io.ostraka.console.live;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A frame of a stream of server-sent events. The text of an event may contain anything: every line of it becomes a line
 * {@code data:}, so it can neither end the frame nor begin a field.
 *
 * @param id id that the client sends when it connects again; null to leave the client's id unchanged
 * @param event type of the event
 * @param data text of the event
 */
record EventFrame(@Nullable String id, String event, String data) {
    /** Comment frame that keeps a connection alive. If the client has gone, the write fails, so the adapter knows. */
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    /**
     * Checks the fields.
     *
     * @throws IllegalArgumentException if the id or the type has a control character, or if the type is empty
     */
    EventFrame {
        if (event.isEmpty() || controls(event) || (id != null && controls(id))) {
            throw new IllegalArgumentException("an event has an empty type, or a control character in its type or id");
        }
    }

    private static boolean controls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    /** Returns the frame in UTF-8. An unpaired surrogate becomes a question mark. */
    byte[] bytes() {
        StringBuilder frame = new StringBuilder(data.length() + 64);
        if (id != null) {
            frame.append("id: ").append(id).append('\n');
        }
        frame.append("event: ").append(event).append('\n');
        for (String line : data.split("\r\n|\r|\n", -1)) { // the line ends that a client recognises
            frame.append("data: ").append(line).append('\n');
        }
        return frame.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the heartbeat. */
    static byte[] heartbeat() {
        return HEARTBEAT.clone();
    }

    /** Returns the frame that sets the time after which a client connects again. */
    static byte[] retry(Duration after) {
        return ("retry: " + after.toMillis() + "\n\n").getBytes(StandardCharsets.UTF_8);
    }
}
