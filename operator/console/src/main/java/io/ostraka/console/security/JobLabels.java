package io.ostraka.console.security;

import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Namespaces;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The labels of jobs, for grants by label. They are read when a grant needs them, and kept for {@link #KEPT}; callers
 * within that time share one read. A job that cannot be read has no labels, so a grant by label denies it; the next
 * attempt follows after {@link #KEPT_FAILURE}. Thread-safe.
 *
 * <p>The labels are those of the definition, which only the application can change. An override of the labels changes no
 * right, because an operator of a job could otherwise get a higher role by means of a label.
 */
public final class JobLabels implements BiFunction<String, String, Map<String, String>> {
    static final Duration KEPT = Duration.ofSeconds(60);
    static final Duration KEPT_FAILURE = Duration.ofSeconds(5);
    /** Largest number of jobs. Names of jobs come from requests, so any number of them could occur. */
    static final int MOST = 10_000;

    private static final Logger log = LoggerFactory.getLogger(JobLabels.class);

    private final Namespaces namespaces;
    private final InstantSource clock;
    /** Reads by job, the earliest first. */
    private final Map<Job, Read> reads = new LinkedHashMap<>();

    private record Job(String namespace, String name) {}

    private record Read(Instant at, CompletableFuture<Labels> labels) {
        boolean isFresh(Instant now) {
            Labels known = labels.getNow(Labels.PENDING);
            return now.isBefore(at.plus(known.readable() ? KEPT : KEPT_FAILURE));
        }
    }

    private record Labels(boolean readable, Map<String, String> values) {
        static final Labels PENDING = new Labels(true, Map.of());
        static final Labels UNREADABLE = new Labels(false, Map.of());
    }

    /** Creates an empty cache. */
    public JobLabels(Namespaces namespaces, InstantSource clock) {
        this.namespaces = namespaces;
        this.clock = clock;
    }

    /** Returns the labels of a job by key; empty if the job has none or cannot be read. */
    @Override
    public Map<String, String> apply(String namespace, String job) {
        Job key = new Job(namespace, job);
        Instant now = clock.instant();
        CompletableFuture<Labels> mine = new CompletableFuture<>();
        CompletableFuture<Labels> labels;
        synchronized (reads) {
            Read latest = reads.get(key);
            if (latest != null && latest.isFresh(now)) {
                labels = latest.labels();
            } else {
                reads.remove(key);
                reads.put(key, new Read(now, mine));
                if (reads.size() > MOST) {
                    reads.remove(reads.keySet().iterator().next());
                }
                labels = mine;
            }
        }
        if (labels == mine) {
            try {
                mine.complete(read(namespace, job));
            } finally {
                mine.complete(Labels.UNREADABLE); // after an error, so that no other caller waits
            }
        }
        return labels.join().values();
    }

    private Labels read(String namespace, String job) {
        try {
            return namespaces
                    .operations(namespace)
                    .map(operations -> defined(operations, job))
                    .orElse(Labels.UNREADABLE);
        } catch (RuntimeException e) {
            log.debug("labels of job '{}' of namespace '{}' could not be read", Names.printable(job), namespace, e);
            return Labels.UNREADABLE;
        }
    }

    private static Labels defined(Operations operations, String job) {
        Object value =
                operations.job(job).field("labels").map(FieldValue::defined).orElse(null);
        Map<String, String> labels = new TreeMap<>();
        if (value instanceof Map<?, ?> values) {
            values.forEach((key, text) -> labels.put(String.valueOf(key), String.valueOf(text)));
        }
        return new Labels(true, labels);
    }
}
