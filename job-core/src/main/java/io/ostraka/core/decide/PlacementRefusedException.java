package io.ostraka.core.decide;

/** A strategy threw, or said what can't be. */
final class PlacementRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    PlacementRefusedException(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
