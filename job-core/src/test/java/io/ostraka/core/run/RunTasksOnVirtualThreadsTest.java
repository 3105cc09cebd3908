package io.ostraka.core.run;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The same child tasks, each on a virtual thread of its own. */
@EnabledForJreRange(min = JRE.JAVA_21)
class RunTasksOnVirtualThreadsTest extends RunTasksTest {
    @Override
    boolean virtualThreads() {
        return true;
    }
}
