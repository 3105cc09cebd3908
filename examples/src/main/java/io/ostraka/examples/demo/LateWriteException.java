package io.ostraka.examples.demo;

/** Thrown if the store has seen a later owner of the item; the store has written no data. */
final class LateWriteException extends Exception {
    private static final long serialVersionUID = 1L;

    LateWriteException(Fence late, long present) {
        super("late write to item " + late.item() + " with token " + late.token() + " refused, present token "
                + present);
    }
}
