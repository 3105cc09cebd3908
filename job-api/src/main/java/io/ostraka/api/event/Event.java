package io.ostraka.api.event;

import java.time.Instant;

/**
 * Something that one instance has done or observed. Each event is published once, by the instance that caused it. Events
 * about a transaction are published when the transaction is known to have been made; if its reply was lost and the item
 * moved on before this instance could read it, the event is missing.
 */
public sealed interface Event permits JobEvent, LeaderChanged {
    /** Returns the id of the instance that publishes the event: {@code name@pid@session}. */
    String instanceId();

    /** Returns the time of the event by the clock of that instance. */
    Instant at();
}
