package io.ostraka.console.servlet;

import io.ostraka.console.Caller;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Finds the caller of a request that the application has authenticated. Thread-safe. */
@FunctionalInterface
public interface CallerResolver {
    /**
     * Returns the caller. The caller outlives the request, for example in a stream of events, so it must not use the
     * request later.
     *
     * @return null if the application has not authenticated the request
     */
    @Nullable Caller resolve(HttpServletRequest request);
}
