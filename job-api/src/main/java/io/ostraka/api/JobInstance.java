package io.ostraka.api;

import java.util.Map;

/**
 * An instance of the application as a sharding strategy sees it.
 *
 * @param id {@code name@pid@session}; a new session is a new instance
 * @param host the host's name
 * @param zone where it runs, such as a data centre; empty text when not set
 * @param tags free attributes; unmodifiable
 * @param weight its strength relative to others, from 1; 1 when not set
 */
public record JobInstance(String id, String host, String zone, Map<String, String> tags, int weight) {
    /** Copies the tags; refuses a weight under 1. */
    public JobInstance {
        tags = Map.copyOf(tags);
        if (weight < 1) {
            throw new IllegalArgumentException("weight of instance " + id + " is " + weight + "; accepted: 1 or more");
        }
    }

    /** Returns its name, which stays the same over sessions and restarts: by default the host's. */
    public String name() {
        return name(id);
    }

    /** Returns the name that an id tells; a text that is none as it is. */
    public static String name(String id) {
        int end = id.lastIndexOf('@', id.lastIndexOf('@') - 1);
        return end < 0 ? id : id.substring(0, end);
    }
}
