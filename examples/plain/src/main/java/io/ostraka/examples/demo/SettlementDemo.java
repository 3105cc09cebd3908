package io.ostraka.examples.demo;

import io.ostraka.api.OstrakaException;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.List;

/**
 * Settles 20,000 orders in three processes, kills one of them, freezes another, and checks the result in the database.
 * The exit code is 0 if all checks passed, 1 if a check failed, and 2 for wrong arguments.
 */
public final class SettlementDemo {
    private static final List<String> OPTIONS = List.of("--quiet", "--without-fence", "--picture");
    private static final int LOG_LINES = 20;

    private SettlementDemo() {}

    /**
     * Runs the demo. With {@code --picture} it draws a picture, with {@code --quiet} it prints a line per phase, and
     * with neither it prints more lines. {@code --without-fence} omits the fence from the transactions.
     */
    public static void main(String[] args) throws InterruptedException {
        List<String> options = List.of(args);
        if (!OPTIONS.containsAll(options)) {
            System.err.println("Options: " + OPTIONS);
            System.exit(2);
        }
        Screen.Mode mode = options.contains("--quiet")
                ? Screen.Mode.QUIET
                : options.contains("--picture") ? Screen.Mode.PICTURE : Screen.Mode.LINES;
        boolean passed = passes(mode, !options.contains("--without-fence"), System.out);
        System.exit(passed ? 0 : 1);
    }

    private static boolean passes(Screen.Mode mode, boolean fenced, PrintStream out) throws InterruptedException {
        try (Stage stage = Stage.set(mode, fenced)) {
            boolean passed = play(stage, fenced, out);
            if (!stage.abandoned()) {
                out.println(stage.screen().stamped(passed ? "PASSED" : "FAILED"));
            }
            return passed;
        } catch (IOException | SQLException | OstrakaException e) {
            out.println("FAILED: the demo could not be set up:  " + e.getMessage());
            return false;
        }
    }

    private static boolean play(Stage stage, boolean fenced, PrintStream out)
            throws IOException, SQLException, InterruptedException {
        try {
            List<Audit.Finding> findings = new Story(stage, fenced).tell();
            stage.screen().close();
            findings.forEach(finding -> out.println((finding.holds() ? "  ok     " : "  WRONG  ") + finding.text()));
            return findings.stream().allMatch(Audit.Finding::holds);
        } catch (DemoFailure | IOException | SQLException | RuntimeException e) {
            if (stage.abandoned()) {
                return false;
            }
            stage.screen().close();
            out.print(stage.logs(LOG_LINES));
            out.println("  WRONG  " + (e instanceof DemoFailure ? e.getMessage() : e));
            return false;
        }
    }
}
