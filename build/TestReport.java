import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Reads the reports that the tests of all lanes have written below the working directory, and prints the failed tests, the
 * tests that are too slow for the fast lane, the slowest classes, and the number of tests of each lane. If the argument names
 * a list that {@code build/tests lanes} has written, each of its tests must be in a report of its lane. Exit code 1: a test
 * has failed, or has not run. Run it with {@code java build/TestReport.java [LIST]}.
 */
final class TestReport {
    private static final String FAST = "fast";
    private static final double MOST_SECONDS_WHEN_FAST = 1;
    private static final int MOST_FAILURES = 20;
    private static final int CLASSES = 20;
    private static final int MOST_CHARACTERS = 300;
    private static final String PROOF = "proof";
    /** As in {@code io.ostraka.fixtures.lanes.LaneTime}. */
    private static final String NO_TIME = "the time of the lane is over";

    /** Names of the classes that Surefire runs. A class with another name runs only if a command names it. */
    private static final String RUN_BY_SUREFIRE = "Test[^.]*|[^.]*(Test|Tests|TestCase)";

    enum Result { PASSED, FLAKY, FAILED, SKIPPED }

    record Run(String lane, String module, String type, String name, double seconds, Result result, String message) {
        String test() {
            return type + "." + name;
        }

        /** The name without parameters and without the number of the invocation. */
        String method() {
            return name.replaceAll("[\\[({].*", "");
        }
    }

    /** A line of the list of tests. */
    record Listed(String module, String type, String method, String tags, String lane) {
        static Listed of(String line) {
            String[] cells = line.split("\t", -1);
            return new Listed(cells[0], cells[1], cells[3].replaceAll("\\(.*", ""), cells[4], cells[5]);
        }

        boolean runs() {
            return type.replaceAll(".*\\.|\\$.*", "").matches(RUN_BY_SUREFIRE);
        }

        String key() {
            return lane + " " + module + " " + type + "." + method;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<Run> runs = new ArrayList<>();
        for (Path report : reports()) {
            runs.addAll(readOrFail(report));
        }
        List<Listed> listed = arguments.length > 0 && Files.exists(Path.of(arguments[0]))
                ? Files.readAllLines(Path.of(arguments[0])).stream().map(Listed::of).toList()
                : List.of();
        List<Run> failed = runs.stream().filter(run -> run.result() == Result.FAILED).toList();
        long missing = printMissing(listed, runs);

        printSlowTests(runs, listed);
        printSlowClasses(runs);
        failed.stream().limit(MOST_FAILURES).forEach(run -> System.out.println(
                "failed: " + run.lane() + ": " + run.test() + ": " + run.message()));
        if (failed.size() > MOST_FAILURES) {
            System.out.println("failed: " + (failed.size() - MOST_FAILURES) + " more");
        }
        runs.stream()
                .filter(run -> run.result() == Result.FLAKY)
                .forEach(run -> System.out.println("FLAKY: " + run.test() + ": " + run.message()));
        runs.stream()
                .collect(Collectors.groupingBy(Run::lane, TreeMap::new, Collectors.toList()))
                .forEach((lane, of) -> System.out.println("lane " + lane + ": " + summary(of)));
        printLate(runs);
        System.out.println("tests: " + counts(runs));
        System.exit(failed.isEmpty() && missing == 0 && !runs.isEmpty() ? 0 : 1);
    }

    /** A report is below {@code target/surefire-reports/LANE}, or below another directory of a build in {@code target}. */
    private static List<Path> reports() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(""))) {
            return files.filter(file -> file.toString().matches("(.*/)?target/(.*/)?surefire-reports/[^/]+/TEST-[^/]+\\.xml"))
                    .sorted()
                    .toList();
        }
    }

    /** Prints the tests that are in the list, but in no report of their lane, and returns their number. */
    private static long printMissing(List<Listed> listed, List<Run> runs) {
        Set<String> ran = runs.stream()
                .map(run -> run.lane() + " " + run.module() + " " + run.type() + "." + run.method())
                .collect(Collectors.toSet());
        Set<String> skippedClasses = runs.stream()
                .filter(run -> run.result() == Result.SKIPPED && (run.method().isEmpty() || run.method().equals(run.type())))
                .map(run -> run.lane() + " " + run.module() + " " + run.type())
                .collect(Collectors.toSet());
        List<Listed> missing = listed.stream()
                .filter(test -> test.runs()
                        && !ran.contains(test.key())
                        && !skippedClasses.contains(test.lane() + " " + test.module() + " " + test.type()))
                .toList();
        missing.forEach(test -> System.out.println("has not run: " + test.key()));
        return missing.size();
    }

    /** A JVM that was killed may leave half a report, which counts as a failed test. */
    private static List<Run> readOrFail(Path report) {
        try {
            return read(report);
        } catch (Exception e) {
            String lane = report.getParent().getFileName().toString();
            return List.of(new Run(lane, "", report.toString(), "", 0, Result.FAILED, "unreadable report: " + e));
        }
    }

    private static List<Run> read(Path report) throws Exception {
        Element suite = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getDocumentElement();
        String lane = report.getParent().getFileName().toString();
        String module = report.toString().replaceAll("/?target/.*", "");
        NodeList cases = suite.getElementsByTagName("testcase");
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < cases.getLength(); i++) {
            Element test = (Element) cases.item(i);
            Result result = Result.PASSED;
            String message = "";
            for (var child = test.getFirstChild(); child != null; child = child.getNextSibling()) {
                Result found = child instanceof Element element ? resultOf(element.getTagName()) : null;
                if (found != null) {
                    result = found;
                    message = messageOf((Element) child);
                    break;
                }
            }
            runs.add(new Run(
                    lane,
                    module,
                    test.getAttribute("classname"),
                    test.getAttribute("name"),
                    seconds(test.getAttribute("time")),
                    result,
                    message));
        }
        return runs;
    }

    /** A test that fails and then passes has a flaky element; one that fails each time, a failure and a rerun. */
    private static Result resultOf(String element) {
        return switch (element) {
            case "failure", "error" -> Result.FAILED;
            case "flakyFailure", "flakyError" -> Result.FLAKY;
            case "skipped" -> Result.SKIPPED;
            default -> null;
        };
    }

    private static String messageOf(Element element) {
        String message = element.getAttribute("message");
        String plain = (message.isEmpty() ? element.getAttribute("type") : message).replaceAll("\\s+", " ").strip();
        return plain.length() > MOST_CHARACTERS ? plain.substring(0, MOST_CHARACTERS) : plain;
    }

    private static double seconds(String time) {
        return time.isEmpty() ? 0 : Double.parseDouble(time.replace(",", ""));
    }

    private static String summary(List<Run> runs) {
        long flaky = count(runs, Result.FLAKY);
        return counts(runs) + (flaky == 0 ? "" : ", " + flaky + " FLAKY")
                + String.format(", %.0f s of tests", runs.stream().mapToDouble(Run::seconds).sum());
    }

    private static String counts(List<Run> runs) {
        return "%d passed, %d failed, %d skipped"
                .formatted(
                        count(runs, Result.PASSED) + count(runs, Result.FLAKY),
                        count(runs, Result.FAILED),
                        count(runs, Result.SKIPPED));
    }

    private static long count(List<Run> runs, Result result) {
        return runs.stream().filter(run -> run.result() == result).count();
    }

    /** Prints the number of tests and classes that a slow machine had no time for. */
    private static void printLate(List<Run> runs) {
        long late = runs.stream()
                .filter(run -> run.result() == Result.SKIPPED && run.message().contains(NO_TIME))
                .count();
        if (late > 0) {
            System.out.println("skipped, because the time of their lane was over: " + late + " tests or whole classes");
        }
    }

    private static void printSlowTests(List<Run> runs, List<Listed> listed) {
        Set<String> proofs = listed.stream()
                .filter(test -> test.tags().contains(PROOF))
                .map(Listed::type)
                .collect(Collectors.toSet());
        List<Run> slow = runs.stream()
                .filter(run -> run.lane().equals(FAST)
                        && run.seconds() > MOST_SECONDS_WHEN_FAST
                        && !proofs.contains(run.type()))
                .sorted(Comparator.comparingDouble(Run::seconds).reversed())
                .toList();
        System.out.println("fast lane: " + slow.size() + " untagged tests took more than a second, while others ran beside them");
        slow.forEach(run -> System.out.printf("  %6.1f s  %s%n", run.seconds(), run.test()));
    }

    private static void printSlowClasses(List<Run> runs) {
        System.out.println("slowest test classes");
        ToDoubleFunction<List<Run>> seconds = of -> of.stream().mapToDouble(Run::seconds).sum();
        runs.stream()
                .collect(Collectors.groupingBy(run -> run.lane() + "\t" + run.module() + "\t" + run.type()))
                .entrySet()
                .stream()
                .sorted(Comparator.comparingDouble(entry -> -seconds.applyAsDouble(entry.getValue())))
                .limit(CLASSES)
                .forEach(entry -> System.out.printf(
                        "  %6.1f s  %-6s  %s%n",
                        seconds.applyAsDouble(entry.getValue()),
                        entry.getKey().split("\t")[0],
                        entry.getValue().get(0).type()));
    }
}
