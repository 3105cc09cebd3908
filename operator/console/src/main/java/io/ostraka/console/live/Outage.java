package io.ostraka.console.live;

import com.google.gson.JsonObject;
import io.ostraka.api.OstrakaException;
import io.ostraka.console.live.LiveEvent.Plain;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The current outage of a feed, during which its reads fail. Not thread-safe: the lock of the feed guards it. */
final class Outage {
    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private final String namespace;
    private @Nullable LiveEvent event;

    Outage(String namespace) {
        this.namespace = namespace;
    }

    /** Returns the event that shows the outage to clients; null if there is none. */
    @Nullable LiveEvent event() {
        return event;
    }

    /**
     * Begins the outage, or changes its cause. Returns the event for all clients; null if they already know the cause.
     */
    @Nullable LiveEvent begin(Source source, RuntimeException failure) {
        String why = String.valueOf(failure.getMessage());
        if (!(failure instanceof OstrakaException)) {
            why = "the console could not read the namespace; its log has the cause";
            log.error(
                    "namespace '{}': the read of {} failed; live events stop until it succeeds",
                    namespace,
                    source.view(),
                    failure);
        }
        JsonObject json = new JsonObject();
        json.addProperty("text", why);
        LiveEvent now = availability("unavailable", json);
        if (now.equals(event)) {
            return null;
        }
        event = now;
        return now;
    }

    /** Ends the outage. Returns the event for all clients; null if there was none. */
    @Nullable LiveEvent end() {
        boolean ended = event != null;
        event = null;
        return ended ? availability("available", new JsonObject()) : null;
    }

    private static LiveEvent availability(String type, JsonObject json) {
        return Plain.toEveryone(type, "availability", json);
    }
}
