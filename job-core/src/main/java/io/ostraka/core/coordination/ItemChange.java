package io.ostraka.core.coordination;

import io.ostraka.core.model.ItemRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Result of an operator's request to change an item's record: to release the item, or to set back its cursor. */
public sealed interface ItemChange {
    /**
     * A request of an operator.
     *
     * @param by operator who makes the change
     * @param reason the operator's reason; may be empty
     * @param request id of the request; a repeated request changes nothing
     * @param expected transaction that wrote the record that the operator has seen; null to accept any record
     * @param now the current time on the server's clock
     */
    record Request(String by, String reason, String request, @Nullable Long expected, Instant now) {}

    /**
     * The record was changed.
     *
     * @param record the record that was written
     * @param mzxid transaction that wrote the record
     */
    record Done(ItemRecord record, long mzxid) implements ItemChange {}

    /** An earlier request with the same id has already changed the record. */
    record Repeated(long mzxid) implements ItemChange {}

    /** Nothing was written, because the record is not the expected one. */
    record Conflict(long mzxid) implements ItemChange {}
}
