package io.ostraka.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import org.junit.jupiter.api.Test;

class ItemRunTest {
    private final ItemRun run = TestRun.of(JobConfiguration.newBuilder("job", 1).build());

    @Test
    void codeThatIsToldToEndHasNotCompletedItsFireByReturning() {
        run.begin(Thread.currentThread());
        run.stop(ItemRun.Stop.GIVEN_UP);
        run.returned();
        run.over(null);

        assertThat(run.gaveUp(RunEnd.SUCCEEDED)).isTrue();
    }

    /** The session may be lost between the return of the code and its completion. */
    @Test
    void codeThatHasReturnedIsNotToldToEnd() {
        run.begin(Thread.currentThread());
        run.returned();
        run.over(null);
        run.stop(ItemRun.Stop.GIVEN_UP);

        assertThat(run.gaveUp(RunEnd.SUCCEEDED)).isFalse();
        assertThat(run.isCancelled()).isFalse();
    }
}
