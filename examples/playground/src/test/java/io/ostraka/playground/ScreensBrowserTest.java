package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every screen in a real browser, in light and dark, wide and narrow. Screenshots: target/screenshots. By default, the
 * wide windows are light and the narrow ones are dark; with {@code -Dostraka.browser=all}, each has both, and there are
 * windows of 2,560 pixels.
 */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ScreensBrowserTest {
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final int WIDE = 1440;
    private static final int NARROW = 390;
    private static final int WIDEST = 2560;
    private static final Map<String, String> SCREENS = screens();

    @TempDir
    static Path directory;

    private static PlaygroundProcess playground;
    private static Browser browser;

    private static Map<String, String> screens() {
        Map<String, String> screens = new LinkedHashMap<>();
        screens.put("overview", "#/playground");
        screens.put("jobs", "#/playground/jobs");
        screens.put("job", "#/playground/jobs/send-reminders?item=3");
        screens.put("job-of-40-items", "#/playground/jobs/build-search-index");
        screens.put("runs", "#/playground/jobs/send-reminders?tab=runs");
        screens.put("skipped", "#/playground/jobs/render-reports?tab=skipped");
        screens.put("next-fires", "#/playground/jobs/settle-orders?tab=next");
        screens.put("triggers", "#/playground/jobs/settle-orders?tab=triggers");
        screens.put("settings", "#/playground/jobs/sync-stock?tab=settings");
        screens.put("account", "#/playground/jobs/import-orders?tab=account");
        screens.put("instances", "#/playground/instances");
        screens.put("day-plan", "#/playground/plan");
        screens.put("alarms", "#/playground/alarms?ended=true");
        screens.put("events", "#/playground/events");
        screens.put("events-of-job", "#/playground/jobs/import-orders?tab=events");
        screens.put("audit", "#/playground/audit");
        screens.put("failures", "#/playground/failures");
        return screens;
    }

    @BeforeAll
    static void start() throws Exception {
        Browser.require();
        playground = PlaygroundProcess.start(directory);
        browser = Browser.open(playground.link());
        browser.await("the overview", () -> browser.shown("#needs"));
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
        if (playground != null) {
            playground.close();
        }
    }

    private static boolean isCombined(String theme, int width) {
        return "all".equals(System.getProperty("ostraka.browser")) || width == (theme.equals("light") ? WIDE : NARROW);
    }

    @Test
    @Order(1)
    void linkLogsInAndThePasswordLeavesTheAddress() {
        assertThat(browser.driver().getCurrentUrl()).doesNotContain("password");
        assertThat(browser.text("header.top")).contains("Overview", "Jobs", "Instances", "admin");
    }

    @Test
    @Order(2)
    void everyScreenIsReadableInLightAndDarkAndFitsIntoAWideAndANarrowWindow() throws Exception {
        browser.go("#/playground/jobs/send-reminders?tab=runs");
        browser.await("a run that failed", () -> browser.shown("td .state.bad"));
        Map<String, String> screens = new LinkedHashMap<>(SCREENS);
        screens.put("run", (String) browser.driver()
                .executeScript("return document.querySelector('td a[href*=\"/runs/\"]').getAttribute('href')"));
        SoftAssertions softly = new SoftAssertions();
        for (String theme : List.of("light", "dark")) {
            browser.prefer("theme", theme);
            for (int width : List.of(WIDE, NARROW, WIDEST)) {
                if (!isCombined(theme, width)) {
                    continue;
                }
                browser.size(width, width == WIDEST ? 1440 : 900);
                for (Map.Entry<String, String> screen : screens.entrySet()) {
                    String name = screen.getKey() + "-" + theme + "-" + width;
                    browser.load(screen.getValue());
                    browser.screenshot(SCREENSHOTS.resolve(name + ".png"));
                    softly.assertThat(browser.shown(".notice[role=alert]"))
                            .as(name + " has a problem")
                            .isFalse();
                    softly.assertThat(browser.overflow())
                            .as(name + " is too wide")
                            .isLessThanOrEqualTo(0);
                    softly.assertThat(browser.accessibilityProblems()).as(name).isEmpty();
                }
            }
        }
        browser.assertOwnOriginOnly();
        softly.assertThat(browser.complaints()).isEmpty();
        softly.assertAll();
    }

    @Test
    @Order(3)
    void dialogsAndTheSearchAreReadableToo() throws Exception {
        SoftAssertions softly = new SoftAssertions();
        for (String theme : List.of("light", "dark")) {
            for (int width : List.of(WIDE, NARROW)) {
                if (!isCombined(theme, width)) {
                    continue;
                }
                browser.prefer("theme", theme);
                browser.size(width, 900);
                browser.load("#/playground/jobs/send-reminders");
                browser.press(".title .actions", "Pause");
                browser.await("the preview", () -> browser.shown("dialog .preview"));
                browser.screenshot(SCREENSHOTS.resolve("dialog-" + theme + "-" + width + ".png"));
                softly.assertThat(browser.accessibilityProblems()).as(theme).isEmpty();
            }
        }
        softly.assertAll();
    }

    @Test
    @Order(4)
    void textsAreChineseOnRequest() throws Exception {
        browser.size(WIDE, 900);
        browser.prefer("language", "zh");
        browser.load("#/playground/jobs");
        browser.screenshot(SCREENSHOTS.resolve("jobs-chinese.png"));
        assertThat(browser.text("header.top")).contains("概览", "作业").doesNotContain("Overview");
        browser.prefer("language", "en");
    }
}
