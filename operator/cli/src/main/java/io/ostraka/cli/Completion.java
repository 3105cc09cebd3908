package io.ostraka.cli;

import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import picocli.AutoComplete;

/** Prints completion scripts. */
final class Completion {
    private Completion() {}

    /** Prints the script. Zsh reads the bash script through its own compatibility functions, which the script loads. */
    static ExitCode print(Invocation call) {
        String shell = call.require("SHELL");
        if (!shell.equals("bash") && !shell.equals("zsh")) {
            throw Failure.usage("the shell is '" + shell + "'; accepted: bash, zsh");
        }
        call.terminal()
                .out()
                .print(AutoComplete.bash(
                        CommandTree.NAME, CommandTree.of(call.session().surroundings(), call.verbs())));
        return ExitCode.OK;
    }
}
