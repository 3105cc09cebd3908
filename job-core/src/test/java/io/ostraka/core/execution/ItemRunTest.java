package io.ostraka.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import org.junit.jupiter.api.Test;

class ItemRunTest {
    private final ItemRun run = TestRun.of(JobConfiguration.newBuilder("job", 1).build());

    @Test
    void codeThatIsToldToEndHasNotCompletedItsFireByReturning() {
        run.begin(Thread.currentThread());
        run.cancel();
        run.finish();

        assertThat(run.gaveUp(RunEnd.SUCCEEDED)).isTrue();
    }

    /** The session may be lost between the return of the code and its completion. */
    @Test
    void codeThatHasReturnedIsNotToldToEnd() {
        run.begin(Thread.currentThread());
        run.finish();
        run.cancel();

        assertThat(run.gaveUp(RunEnd.SUCCEEDED)).isFalse();
        assertThat(run.isCancelled()).isFalse();
    }
}
