package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.console.server.Console;
import io.ostraka.console.server.ConsoleMain;
import io.ostraka.fixtures.ArchitectureRules;
import io.ostraka.fixtures.LockRules;
import org.junit.jupiter.api.Test;

/** Checks the rules that several modules keep. */
class ArchitectureTest {
    @Test
    void onlyEntrancesUseTheMachineAndPackagesFormNoCircle() {
        ArchitectureRules.check("io.ostraka.console", Console.class, ConsoleMain.class);
    }

    @Test
    void noneWaitsUnderALock() {
        assertThat(LockRules.waitsUnderALock(
                        "io.ostraka.console",
                        "operator/console",
                        "io\\.ostraka\\.(api\\.operations\\.Operations|history\\.\\w+)\\.\\w+\\(.*"))
                .as("the lock of one history alone, which no code needs that the history waits for")
                .containsExactlyInAnyOrder("ZooKeeperNamespaces.history -> ZooKeeperNamespaces.start");
    }
}
