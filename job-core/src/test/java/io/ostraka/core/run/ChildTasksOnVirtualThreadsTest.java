package io.ostraka.core.run;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Runs the same tests with a virtual thread for each child task. */
@Tag("smoke")
@EnabledForJreRange(min = JRE.JAVA_21)
class ChildTasksOnVirtualThreadsTest extends ChildTasksTest {
    @Override
    boolean virtualThreads() {
        return true;
    }
}
