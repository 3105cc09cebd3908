package io.ostraka.core.job;

import java.time.Duration;
import java.util.List;

/**
 * The instance under one session.
 *
 * @param instanceId {@code name@pid@session}
 * @param id the server's number of the session
 * @param timeout after which the server ends it when nothing is heard
 * @param earlierIds the process's ids under its earlier sessions, latest last
 */
public record Session(String instanceId, long id, Duration timeout, List<String> earlierIds) {}
