package io.ostraka.faults.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The stack trace of an exception as text. */
final class Text {
    private Text() {}

    static String of(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
