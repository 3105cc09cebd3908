package io.ostraka.console.live;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads a stream of server-sent events as a browser does, by the algorithm of the HTML standard. Not thread-safe. */
final class Frames {
    /** An event as a browser shows it to a page. */
    record Received(String type, String data, String id) {}

    private String id = "";
    private String retry = "";
    private int comments;

    /** Reads whole frames. */
    List<Received> read(byte[] bytes) {
        List<Received> events = new ArrayList<>();
        String type = "";
        StringBuilder data = new StringBuilder();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\r\n|\r|\n", -1)) {
            int colon = line.indexOf(':');
            String field = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            if (line.isEmpty()) {
                if (data.length() > 0) {
                    events.add(
                            new Received(type.isEmpty() ? "message" : type, data.substring(0, data.length() - 1), id));
                }
                type = "";
                data.setLength(0);
            } else if (colon == 0) {
                comments++;
            } else {
                switch (field) {
                    case "event" -> type = value;
                    case "data" -> data.append(value).append('\n');
                    case "id" -> id = value;
                    case "retry" -> retry = value;
                    default -> {}
                }
            }
        }
        return events;
    }

    /** Returns the id that a browser sends when it connects again. */
    String lastId() {
        return id;
    }

    String retry() {
        return retry;
    }

    int comments() {
        return comments;
    }
}
