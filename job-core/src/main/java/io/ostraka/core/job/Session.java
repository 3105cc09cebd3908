package io.ostraka.core.job;

import java.time.Duration;
import java.util.List;

/**
 * Identity of this instance during one session of the coordination service.
 *
 * @param instanceId id of this instance, {@code name@pid@session}
 * @param id session id that the server assigned
 * @param timeout session timeout
 * @param earlierIds instance ids of this process in its earlier sessions, latest last
 */
public record Session(String instanceId, long id, Duration timeout, List<String> earlierIds) {}
