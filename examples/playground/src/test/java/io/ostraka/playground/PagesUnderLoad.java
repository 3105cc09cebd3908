package io.ostraka.playground;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures the pages beside 1,000 jobs and a job of 1,000 items: messages and changes of the page a second, and the time
 * to the first useful paint. Not part of the build: {@code mvn -pl examples/playground -am test -Dtest=PagesUnderLoad
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
class PagesUnderLoad {
    private static final int SECONDS = 20;
    private static final int LOADS = 11;

    private static final String COUNT =
            """
            const [seconds, done] = arguments;
            import(new URL('app/live.mjs', location.origin + '/')).then(live => {
              const before = live.received.events;
              let changes = 0;
              const observer = new MutationObserver(list => { changes += list.length; });
              observer.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
              setTimeout(() => {
                observer.disconnect();
                done([live.received.events - before, changes]);
              }, seconds * 1000);
            });""";

    @TempDir
    Path directory;

    @Test
    void measure() throws Exception {
        Browser.require();
        try (PlaygroundProcess playground = PlaygroundProcess.start(directory, "--large");
                Browser browser = Browser.open(playground.link())) {
            browser.await("the overview", () -> browser.shown("#needs"));
            Map<String, String> screens = Map.of(
                    "overview", "#/playground",
                    "jobs", "#/playground/jobs",
                    "one of 1,000 jobs", "#/playground/jobs/report-007",
                    "job of 1,000 items", "#/playground/jobs/refresh-customers");
            screens.forEach((name, address) -> {
                browser.load(address);
                List<?> counts = (List<?>) browser.driver().executeAsyncScript(COUNT, SECONDS);
                System.out.printf(
                        "%-20s %6.1f messages and %7.1f changes of the page a second%n",
                        name,
                        ((Number) counts.get(0)).doubleValue() / SECONDS,
                        ((Number) counts.get(1)).doubleValue() / SECONDS);
            });
            double empty = median(() -> {
                browser.visit("vendor/README.txt");
                return milliseconds(browser, "performance.getEntriesByType('navigation')[0].domComplete");
            });
            for (Map.Entry<String, String> screen : screens.entrySet()) {
                double useful = median(() -> {
                    browser.load(screen.getValue());
                    return milliseconds(browser, "performance.getEntriesByName('first-content')[0].startTime");
                });
                System.out.printf(
                        "%-20s first useful paint after %.0f ms, %.1f times an empty page (%.0f ms)%n",
                        screen.getKey(), useful, useful / empty, empty);
            }
        }
    }

    private static double milliseconds(Browser browser, String expression) {
        return ((Number) browser.driver().executeScript("return " + expression)).doubleValue();
    }

    private interface Measured {
        double measure();
    }

    private static double median(Measured measured) {
        double[] values = new double[LOADS];
        for (int i = 0; i < LOADS; i++) {
            values[i] = measured.measure();
        }
        Arrays.sort(values);
        return values[LOADS / 2];
    }
}
