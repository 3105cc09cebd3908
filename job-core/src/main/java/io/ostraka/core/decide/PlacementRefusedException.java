package io.ostraka.core.decide;

/** Thrown if a sharding strategy throws an exception, returns an invalid answer, or does not accept the job. */
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
