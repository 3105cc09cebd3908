package io.ostraka.core.job;

import java.time.Duration;
import java.util.List;

/**
 * Instance under one session of the coordination service.
 *
 * @param instanceId {@code name@pid@session}
 * @param id session id of the server
 * @param timeout session timeout
 * @param earlierIds instance ids of the process under its earlier sessions, latest last
 */
public record Session(String instanceId, long id, Duration timeout, List<String> earlierIds) {}
