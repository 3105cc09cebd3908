package io.ostraka.api.event;

import java.time.Instant;

/**
 * An action or an observation of one instance. Only this instance publishes the event, and only once. The exceptions
 * are {@link RunRecorded} and {@link SkipRecorded}, because several instances may read the same record. An event about
 * a ZooKeeper transaction is published when the instance knows that the transaction was committed. If the reply to the
 * transaction was lost, the instance reads the item's record to find out whether the transaction was committed. If the
 * record has changed again before this read, the event is missing.
 */
public sealed interface Event permits JobEvent, LeaderChanged, AlarmChanged {
    /** Returns the id of the instance that publishes the event: {@code name@pid@session}. */
    String instanceId();

    /** Returns the time of the event by the clock of the instance that publishes it. */
    Instant at();
}
