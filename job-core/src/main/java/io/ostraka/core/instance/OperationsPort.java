package io.ostraka.core.instance;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.time.Clock;
import java.util.concurrent.Executor;

/**
 * What an instance or an observer gives to the operator's views and commands.
 *
 * @param gate sends their requests when there is a connection
 * @param clock measures the age of views
 * @param workers runs computations that may take long, such as plans for dry runs
 * @param events publishes the events of the commands
 */
public record OperationsPort(
        Coordination coordination, RequestGate gate, Clock clock, Executor workers, EventSource events) {}
