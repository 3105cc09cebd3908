package io.ostraka.console.server;

import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context of the history in a console. The console has no events and is never the leader, so its history stores
 * only the audit, and deletes no old rows.
 */
final class HistoryContext implements SubscriberContext {
    private static final Logger log = LoggerFactory.getLogger(HistoryContext.class);
    private static final Load NONE = new Load(
            Map.of(),
            new Load.Workers(0, 0, 0, 0, 0),
            new Load.SerialExecutors(0, 0, 0, 0),
            Load.Pool.NONE,
            Load.Events.NONE);

    private final String namespace;
    private @Nullable String problem;

    HistoryContext(String namespace) {
        this.namespace = namespace;
    }

    @Override
    public String namespace() {
        return namespace;
    }

    @Override
    public Load load() {
        return NONE;
    }

    /** Logs a problem when it begins or changes, and its end. New figures, such as a count of rows, are no change. */
    @Override
    public synchronized void problem(@Nullable String text) {
        if (text != null && (problem == null || !withoutFigures(text).equals(withoutFigures(problem)))) {
            log.warn("namespace '{}': {}", namespace, text);
        } else if (text == null && problem != null) {
            log.info("namespace '{}': the problem of the history has ended", namespace);
        }
        problem = text;
    }

    private static String withoutFigures(String text) {
        return text.replaceAll("\\d+", "");
    }
}
