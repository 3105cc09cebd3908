package io.ostraka.cli.terminal;

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
    private static final int SMALLEST_CONTROL_OF_LATIN_1 = 0x7f;
    private static final int LAST_CONTROL_OF_LATIN_1 = 0x9f;

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

    /** Prints a message for people. */
    public void say(String text) {
        err.println(printable(text));
    }

    /** Prints a line of data. */
    public void print(String line) {
        out.println(printable(line));
    }

    /**
     * Returns a text in which question marks replace the characters that control a terminal, because a server or a job
     * may have written the text. Keeps line feeds.
     */
    public static String printable(String text) {
        return text.codePoints()
                .map(each -> isControl(each) && each != '\n' ? '?' : each)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isControl(int each) {
        return each < ' '
                || (each >= SMALLEST_CONTROL_OF_LATIN_1 && each <= LAST_CONTROL_OF_LATIN_1)
                || Character.getType(each) == Character.FORMAT // such as marks that reverse the direction of text
                || Character.getType(each) == Character.LINE_SEPARATOR
                || Character.getType(each) == Character.PARAGRAPH_SEPARATOR
                || (each >= 0xd800 && each <= 0xdfff);
    }
}
