package io.ostraka.types;

import io.ostraka.core.time.SystemClock;
import io.ostraka.lite.Powers;
import io.ostraka.lite.ProcessExtension;

/** Adds script and HTTP jobs, and the destinations of failures, alarms and heartbeats, as far as they are allowed. */
public final class JobTypesExtension implements ProcessExtension {
    @Override
    public Parts create(Powers powers) {
        return new AllowedParts(powers, new SystemClock());
    }
}
