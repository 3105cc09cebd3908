package io.ostraka.console.security;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that the test sets. */
public final class ManualClock implements InstantSource {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public synchronized Instant instant() {
        return now;
    }

    public synchronized void advance(Duration duration) {
        now = now.plus(duration);
    }
}
