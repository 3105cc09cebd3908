package io.ostraka.cli;

import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.DirectTransport;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.HttpTransport;
import io.ostraka.cli.transport.Setting;
import io.ostraka.cli.transport.Transport;
import java.io.BufferedReader;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The program {@code ostraka}. */
public final class Main {
    /** Set by {@code bin/ostraka}: the streams that are terminals (any of i, o, e), a colon, and the screen's width. */
    private static final String TERMINAL = "ostraka.terminal";

    /** Set by {@code bin/ostraka} while the JVM records the classes that it loads. */
    private static final String WARM_UP = "ostraka.warm-up";

    private static final long PAUSE_MILLIS = 2000;

    private Main() {}

    /** Runs the program. */
    public static void main(String[] arguments) {
        if (System.getProperty(WARM_UP) != null) {
            WarmUp.run(Main::open);
            System.exit(0);
        }
        Map<String, String> environment = System.getenv();
        Surroundings surroundings = new Surroundings(
                terminal(environment), environment, Clock.system(ZoneId.systemDefault()), Main::pause, Main::open);
        System.exit(Cli.run(surroundings, arguments));
    }

    static Transport open(Connection connection) {
        try {
            return connection.get(Setting.ZOOKEEPER).isPresent()
                    ? new DirectTransport(connection)
                    : HttpTransport.open(connection);
        } catch (IllegalArgumentException e) {
            throw Failure.usage(String.valueOf(e.getMessage()));
        }
    }

    private static Terminal terminal(Map<String, String> environment) {
        String described = System.getProperty(TERMINAL, fallback());
        int colon = described.indexOf(':');
        String streams = colon < 0 ? described : described.substring(0, colon);
        String columns = colon < 0 ? "" : described.substring(colon + 1);
        boolean toTerminal = streams.contains("o");
        BufferedReader in = streams.contains("i") && streams.contains("e")
                ? new BufferedReader(new InputStreamReader(System.in, charset()))
                : null;
        int width = columns.matches("\\d{2,4}") ? Integer.parseInt(columns) : 80;
        boolean colours = toTerminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
        return new Terminal(
                stream(FileDescriptor.out), stream(FileDescriptor.err), in, toTerminal ? width : 0, colours);
    }

    /** Returns the streams that are terminals, if no shell has tested them: all, or none if this is not certain. */
    @SuppressWarnings("SystemConsoleNull") // isTerminal distinguishes the cases
    private static String fallback() {
        Console console = System.console();
        return console != null && isTerminal(console) ? "ioe" : "";
    }

    /**
     * Returns whether a console is a terminal. Since Java 22, a console can exist without a terminal, and has a method
     * that tells.
     */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream(descriptor)), true, charset());
    }

    /** Returns the charset of the terminal according to the environment. */
    private static Charset charset() {
        @Nullable String name = System.getProperty("sun.jnu.encoding");
        boolean plain = name == null || name.startsWith("ANSI") || !Charset.isSupported(name);
        return plain ? StandardCharsets.UTF_8 : Charset.forName(name);
    }

    private static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
