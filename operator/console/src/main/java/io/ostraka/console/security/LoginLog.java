package io.ostraka.console.security;

import java.util.function.Consumer;

/**
 * Writes one line for each login and each end of a session. A name cannot break the line, because control characters are replaced.
 *
 * @param info writes a line to the log
 */
record LoginLog(Consumer<String> info) implements LoginAudit {
    @Override
    public void login(String name, String client, boolean success, String reason) {
        info.accept("login of '" + Names.printable(name) + "' from " + Names.printable(client) + " "
                + (success ? "succeeded" : "failed") + ": " + reason);
    }

    @Override
    public void ended(String name, String client, String reason) {
        info.accept(
                "session of '" + Names.printable(name) + "' was ended from " + Names.printable(client) + ": " + reason);
    }
}
