package io.ostraka.cli;

import io.ostraka.fixtures.ArchitectureRules;
import org.junit.jupiter.api.Test;

/** Checks the rules that several modules keep. */
class ArchitectureTest {
    @Test
    void onlyEntrancesUseTheMachineAndPackagesFormNoCircle() {
        ArchitectureRules.check("io.ostraka.cli", Main.class, WarmUp.class);
    }

    @Test
    void noTwoClassesUseEachOther() {
        ArchitectureRules.noClassesUseEachOther("io.ostraka.cli");
    }
}
