package io.ostraka.api;

import java.util.Map;
import java.util.Objects;

/**
 * An instance of the application, as a sharding strategy sees it. Immutable.
 *
 * @param id {@code name@pid@session}; an instance gets a new id with each new session
 * @param host name of the machine
 * @param zone location of the instance, such as a data centre; empty text if not set
 * @param tags attributes that the application has set; unmodifiable
 * @param weight capacity relative to other instances, from 1; 1 if not set
 */
public record JobInstance(String id, String host, String zone, Map<String, String> tags, int weight) {
    /** Maximum length of the zone and all tags together, in characters. */
    private static final int LONGEST = 16 << 10;

    /**
     * Copies the tags and checks the attributes.
     *
     * @throws IllegalArgumentException if the weight is less than 1, or if zone and tags cannot be stored or are too
     *     long
     */
    public JobInstance {
        int length = require("zone", Objects.requireNonNull(zone, "zone"));
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            length += require("tag", tag.getKey()) + require("tag " + tag.getKey(), tag.getValue());
        }
        if (length > LONGEST) {
            throw new IllegalArgumentException(
                    "zone and tags have " + length + " characters together; accepted: at most " + LONGEST);
        }
        tags = Map.copyOf(tags);
        if (weight < 1) {
            throw new IllegalArgumentException("weight of instance " + id + " is " + weight + "; accepted: 1 or more");
        }
    }

    private static int require(String what, String text) {
        if (!StoredText.accepts(text)) {
            throw new IllegalArgumentException(what + " is '" + text + "'; accepted: " + StoredText.ACCEPTED);
        }
        return text.length();
    }

    /**
     * Returns the name of the instance, which stays the same across sessions and restarts. By default this is the name
     * of the machine.
     */
    public String name() {
        return name(id);
    }

    /** Returns the name of the instance with the given id. Returns the argument itself if it is not an instance id. */
    public static String name(String id) {
        int end = id.lastIndexOf('@', id.lastIndexOf('@') - 1);
        return end < 0 ? id : id.substring(0, end);
    }
}
