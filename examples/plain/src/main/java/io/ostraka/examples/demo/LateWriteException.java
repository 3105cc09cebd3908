package io.ostraka.examples.demo;

import io.ostraka.api.OwnershipLostException;

/** Thrown if the store has seen a later owner of the item; the store has written no data. */
final class LateWriteException extends Exception {
    private static final long serialVersionUID = 1L;

    LateWriteException(OwnershipLostException refusal) {
        super("late write refused: " + refusal.getMessage(), refusal);
    }
}
