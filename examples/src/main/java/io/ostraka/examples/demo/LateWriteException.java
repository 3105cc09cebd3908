package io.ostraka.examples.demo;

/** The store has seen a later owner of the item: nothing was written. */
final class LateWriteException extends Exception {
    private static final long serialVersionUID = 1L;

    LateWriteException(Fence late, long present) {
        super("late write to item " + late.item() + " with token " + late.token() + " refused, present token "
                + present);
    }
}
