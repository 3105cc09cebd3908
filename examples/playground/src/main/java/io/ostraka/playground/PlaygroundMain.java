package io.ostraka.playground;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/**
 * The program {@code bin/playground}. It runs until a signal ends it. The exit code is 0 if it was stopped, 1 if it
 * could not start, and 2 if an option is not accepted.
 */
public final class PlaygroundMain {
    private static final int STOPPED = 0;
    private static final int FAILED = 1;
    private static final int NOT_ACCEPTED = 2;

    private PlaygroundMain() {}

    /** Runs the program, and ends the process. */
    public static void main(String[] arguments) {
        Optional<Options> options = Options.parse(arguments);
        if (options.isEmpty()) {
            System.err.println(Options.USAGE);
            Runtime.getRuntime().halt(NOT_ACCEPTED);
        }
        Stage stage = new Stage();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(stage, STOPPED), "end-of-the-playground"));
        try {
            play(stage, options.orElseThrow(), System.out);
        } catch (IOException | RuntimeException e) {
            if (!stage.isClosed()) { // otherwise the failure only results from the end of the program
                System.err.println("The playground could not start: " + e.getMessage());
                end(stage, FAILED);
            }
        }
        await();
    }

    private static void play(Stage stage, Options options, PrintStream out) throws IOException {
        out.println("Starting ZooKeeper, a database, the console and three workers ...");
        Playground playground = new Playground(stage, options, List.of(), out::println);
        out.println(playground.login());
        out.println("The link logs in once, as the administrator of namespace '" + Playground.NAMESPACE
                + "'. Ctrl-C ends the playground and deletes its files.");
        if (options.logs()) {
            out.println("Logs: " + playground.logs());
        }
        if (options.set() == JobSet.NIGHT) {
            out.println("It is night, and you are on call. Find the troubles of this namespace, and mend them.");
        }
        out.flush();
    }

    /** Waits without a limit, because the shutdown hook ends the process. */
    private static void await() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(Stage stage, int code) {
        int result = code;
        try {
            stage.close();
        } catch (RuntimeException e) {
            LoggerFactory.getLogger(PlaygroundMain.class).error("the playground did not end properly", e);
            result = FAILED;
        }
        Runtime.getRuntime().halt(result);
    }
}
