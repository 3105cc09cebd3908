package io.ostraka.console.server;

import io.ostraka.console.security.Passwords;
import io.ostraka.console.security.Tokens;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program {@code bin/console}. */
public final class ConsoleMain {
    static final int OK = 0;
    static final int FAILED = 1;
    static final int NOT_ACCEPTED = 2;

    private static final Logger log = LoggerFactory.getLogger(ConsoleMain.class);
    private static final int TOKEN_DAYS = 90;

    /** Longest time of a stop. Longer than {@link Limits#STOP}, and shorter than the time limits of service managers. */
    private static final Duration STOP = Duration.ofSeconds(20);

    private static final String USAGE =
            """
            usage: bin/console FILE
                   bin/console hash-password
                   bin/console create-token NAME
              FILE           runs the console with the settings in this properties file
              hash-password  reads a password from the standard input, and prints its hash for the settings
              create-token   creates a token for a program, and prints it once, with its lines for the settings
            Exit code 0: the console was stopped, or the command succeeded. Exit code 1: the console could not start, or failed.
            Exit code 2: an argument or a setting is not accepted.""";

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final Clock clock;

    ConsoleMain(InputStream in, PrintStream out, PrintStream err, Clock clock) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.clock = clock;
    }

    /** Runs the program, and ends the process. */
    public static void main(String[] arguments) {
        ConsoleMain program = new ConsoleMain(System.in, System.out, System.err, Clock.systemUTC());
        int code = program.run(arguments, System.getenv());
        System.out.flush();
        Runtime.getRuntime().halt(code);
    }

    /** Runs a command, and returns the exit code. */
    int run(String[] arguments, Map<String, String> environment) {
        String command = arguments.length == 0 ? "" : arguments[0];
        if (arguments.length == 1 && (command.equals("-h") || command.equals("--help"))) {
            out.println(USAGE);
            return OK;
        } else if (arguments.length == 1 && command.equals("hash-password")) {
            return hashPassword();
        } else if (arguments.length == 2 && command.equals("create-token")) {
            return createToken(arguments[1]);
        } else if (arguments.length == 1 && !command.startsWith("-")) {
            return serve(Path.of(command), environment);
        }
        err.println(USAGE);
        return NOT_ACCEPTED;
    }

    private int hashPassword() {
        char[] password;
        try {
            String line = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).readLine();
            password = line == null ? new char[0] : line.toCharArray();
        } catch (IOException e) {
            err.println("the standard input cannot be read: " + e.getMessage());
            return FAILED;
        }
        try {
            out.println(Passwords.hash(password));
            return OK;
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
            return NOT_ACCEPTED;
        }
    }

    private int createToken(String name) {
        if (!Key.TOKEN_HASH.matches(Key.TOKEN_HASH.of(name))) {
            err.println("the name of the token is '" + name
                    + "'; accepted: at most 128 letters, digits, hyphens, underscores, dots and at signs");
            return NOT_ACCEPTED;
        }
        String token = Tokens.create();
        Instant expires = clock.instant().plus(TOKEN_DAYS, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS);
        out.println("The token, which is shown only here: " + token);
        out.println();
        out.println("# Lines for the settings. Choose the grants and the time of expiry.");
        out.println(Key.TOKEN_HASH.of(name) + "=" + Tokens.digest(token));
        out.println(Key.TOKEN_GRANTS.of(name) + "=VIEWER");
        out.println(Key.TOKEN_EXPIRES.of(name) + "=" + expires);
        return OK;
    }

    private int serve(Path file, Map<String, String> environment) {
        ConsoleSettings settings;
        try {
            settings = ConsoleSettings.read(file, environment);
        } catch (SettingsException e) {
            e.mistakes().forEach(err::println);
            return NOT_ACCEPTED;
        }
        settings.warnings().forEach(log::warn);
        StringBuilder password = new StringBuilder();
        Console console;
        try {
            console = Console.start(settings, Limits.DEFAULT, clock, password::append);
        } catch (IOException e) {
            err.println(e.getMessage());
            return FAILED;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(console), "ostraka-console-stop"));
        out.println("The console listens at " + console.uri());
        if (!password.isEmpty()) {
            out.println(
                    "The settings name no caller. One-time password of the user 'admin', for one login: " + password);
        }
        out.flush();
        return await();
    }

    /** Stops the console. The process ends with exit code 0, because it was stopped on purpose. */
    private static void stop(Console console) {
        Runtime.getRuntime().halt(stop(console::close, STOP));
    }

    /** Stops a console, and returns the exit code after a limited time: a part that hangs does not prevent the end. */
    static int stop(Runnable close, Duration longest) {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        Thread closer = new Thread(
                () -> {
                    try {
                        close.run();
                        stopped.complete(null);
                    } catch (Throwable e) {
                        stopped.completeExceptionally(e);
                    }
                },
                "ostraka-console-close");
        closer.setDaemon(true);
        closer.start();
        try {
            stopped.get(longest.toNanos(), TimeUnit.NANOSECONDS);
            return OK;
        } catch (TimeoutException e) {
            log.error(
                    "the console did not stop within {} s; the process ends without the part that hangs",
                    longest.toSeconds(),
                    stackOf(closer));
        } catch (ExecutionException e) {
            log.error("the console did not stop properly", e.getCause());
        } catch (InterruptedException e) {
            log.error("the stop of the console was interrupted", e);
        }
        return FAILED;
    }

    private static Throwable stackOf(Thread thread) {
        Throwable place = new Throwable("the stop of the console waits here");
        place.setStackTrace(thread.getStackTrace());
        return place;
    }

    /** Waits without a limit, because the shutdown hook ends the process. */
    private static int await() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return FAILED;
    }
}
