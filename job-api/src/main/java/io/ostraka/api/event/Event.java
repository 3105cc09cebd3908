package io.ostraka.api.event;

import java.time.Instant;

/**
 * An action or an observation of one instance. The instance that caused an event publishes it once. It publishes events
 * about a transaction when it knows that the transaction was made. If the reply was lost and the item moved on before
 * the instance could read its record, the event is missing.
 */
public sealed interface Event permits JobEvent, LeaderChanged {
    /** Returns the id of the instance that publishes the event: {@code name@pid@session}. */
    String instanceId();

    /** Returns the time of the event by the clock of that instance. */
    Instant at();
}
