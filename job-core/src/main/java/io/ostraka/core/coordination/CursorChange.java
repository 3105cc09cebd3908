package io.ostraka.core.coordination;

import io.ostraka.core.model.ItemRecord;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Result of a request to set back the cursor of an item. */
public sealed interface CursorChange {
    /**
     * A request of an operator.
     *
     * @param by operator who makes the change
     * @param reason the operator's reason; may be empty
     * @param request id of the request; a repeated request changes nothing
     * @param expected transaction that last wrote the record, as the operator knows it; null for any
     * @param now the new cursor: the current time on the server's clock
     */
    record Request(String by, String reason, String request, @Nullable Long expected, Instant now) {}

    /**
     * The cursor was set back.
     *
     * @param change the change, as the record stores it
     * @param mzxid transaction that wrote the record
     */
    record Done(ItemRecord.SetBack change, long mzxid) implements CursorChange {}

    /** An earlier request with the same id had set back the cursor. */
    record Repeated(long mzxid) implements CursorChange {}

    /** Nothing was written, because the record is not the expected one. */
    record Conflict(long mzxid) implements CursorChange {}
}
