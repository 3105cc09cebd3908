package io.ostraka.cli.terminal;

import io.ostraka.console.security.Names;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The streams of the process.
 *
 * @param out stream for data
 * @param err stream for messages to people
 * @param in lines that a person types; null if there is no terminal, so the program asks nothing
 * @param width number of columns of the terminal that shows the data; 0 if the data goes elsewhere
 * @param colours true to print colours
 */
public record Terminal(PrintStream out, PrintStream err, @Nullable BufferedReader in, int width, boolean colours) {
    /** Returns a writer to one of the streams. The texts must consist of ASCII characters. */
    public PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, StandardCharsets.UTF_8);
    }

    public boolean isInteractive() {
        return in != null;
    }

    /** Asks a person, and returns the answer; empty if the person closes the input instead. */
    public Optional<String> ask(String question) {
        err.print(printable(question));
        err.flush();
        try {
            return in == null ? Optional.empty() : Optional.ofNullable(in.readLine());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Prints a message for people in one line. */
    public void say(String text) {
        err.println(printable(text));
    }

    /** Prints a line of data. */
    public void print(String line) {
        out.println(printable(line));
    }

    /**
     * Returns a text as one line in which question marks replace the characters that control a terminal, because a
     * server or a job may have written the text. Blanks replace line feeds and tabs. With a line feed, the rest of the
     * text would look like a line of this program.
     */
    static String printable(String text) {
        return text.codePoints()
                .map(each -> each == '\n' || each == '\t' ? ' ' : Names.isVisible(each) ? each : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
