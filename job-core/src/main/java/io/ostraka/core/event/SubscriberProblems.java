package io.ostraka.core.event;

import org.jspecify.annotations.Nullable;

/** Receives the problems of subscribers. */
@FunctionalInterface
public interface SubscriberProblems {
    /**
     * Receives a problem, on any thread.
     *
     * @param subscriber name of the subscriber's class
     * @param text description of the problem; null when it has ended
     */
    void report(String subscriber, @Nullable String text);
}
