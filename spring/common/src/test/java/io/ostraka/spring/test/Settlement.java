package io.ostraka.spring.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with jobs of both kinds, an extension, and a component that a test of jobs does not need. */
@SpringBootApplication
class Settlement {
    /** A dependency of the jobs, which the test provides. */
    interface Orders {
        void settle(int item);
    }
}
