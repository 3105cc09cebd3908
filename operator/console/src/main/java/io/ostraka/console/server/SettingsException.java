package io.ostraka.console.server;

import java.util.List;

/** Thrown if settings are not accepted. It names all mistakes, so that an operator can correct them at once. */
final class SettingsException extends Exception {
    private static final long serialVersionUID = 1L;

    private final List<String> mistakes;

    SettingsException(List<String> mistakes) {
        super(String.join("\n", mistakes));
        this.mistakes = List.copyOf(mistakes);
    }

    /** Returns one sentence for each mistake. No sentence contains a secret. */
    List<String> mistakes() {
        return mistakes;
    }
}
