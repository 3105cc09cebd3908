package io.ostraka.spring.test;

import org.springframework.stereotype.Component;

/** A component that a test of jobs does not need. */
@Component
final class Unrelated {
    Unrelated() {
        throw new IllegalStateException("a test of jobs must not create this component");
    }
}
