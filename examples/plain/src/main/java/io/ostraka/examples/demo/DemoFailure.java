package io.ostraka.examples.demo;

/** Thrown if the demo cannot continue: an expected event did not happen in time, or a worker ended by itself. */
final class DemoFailure extends Exception {
    private static final long serialVersionUID = 1L;

    DemoFailure(String message) {
        super(message);
    }
}
