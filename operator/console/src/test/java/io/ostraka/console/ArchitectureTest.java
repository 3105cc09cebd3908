package io.ostraka.console;

import io.ostraka.console.server.Console;
import io.ostraka.console.server.ConsoleMain;
import io.ostraka.fixtures.ArchitectureRules;
import org.junit.jupiter.api.Test;

/** Checks the rules that several modules keep. */
class ArchitectureTest {
    @Test
    void onlyEntrancesUseTheMachineAndPackagesFormNoCircle() {
        ArchitectureRules.check("io.ostraka.console", Console.class, ConsoleMain.class);
    }
}
