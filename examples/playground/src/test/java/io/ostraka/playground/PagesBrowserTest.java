package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The pages in a real browser, with prepared answers in which nothing changes by itself. */
@Tag("browser")
@Timeout(300)
class PagesBrowserTest {
    /** The pages wait at most a second before they read a view again. */
    private static final Duration REST = Duration.ofMillis(2000);

    private static final Map<String, String> SCREENS = screens();

    private static FakeConsole console;
    private static Browser browser;

    private static Map<String, String> screens() {
        Map<String, String> screens = new LinkedHashMap<>();
        screens.put("overview", "#/orders");
        screens.put("jobs", "#/orders/jobs");
        screens.put("item", "#/orders/jobs/settle?item=1");
        for (String tab : List.of("runs", "skipped", "next", "triggers", "settings", "account", "events")) {
            screens.put(tab, "#/orders/jobs/settle?tab=" + tab);
        }
        screens.put("run", "#/orders/jobs/settle/runs/settle%40" + FakeConsole.TIME + "?fireTime=" + FakeConsole.TIME);
        for (String screen : List.of("instances", "plan", "alarms", "events", "audit", "failures")) {
            screens.put("all " + screen, "#/orders/" + screen);
        }
        return screens;
    }

    @BeforeAll
    static void start() throws Exception {
        Browser.require();
        console = FakeConsole.start();
        browser = Browser.open(console.uri());
        browser.await("the overview", () -> browser.shown("#needs"));
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
        if (console != null) {
            console.close();
        }
    }

    @BeforeEach
    void firstScreen() {
        browser.load("#/orders/audit");
    }

    /** Forgets all requests after the reads that the page may still send for the screen before. */
    private static void settle() {
        LockSupport.parkNanos(REST.toNanos());
        console.reads();
        console.streams();
    }

    @Test
    void everyScreenReadsEachResourceOnceWhenItIsOpened() {
        browser.withoutPolls();
        SoftAssertions softly = new SoftAssertions();
        SCREENS.forEach((name, address) -> {
            settle();
            browser.load(address);
            LockSupport.parkNanos(REST.toNanos());
            List<String> reads = console.reads();
            softly.assertThat(reads).as(name + ", loaded").isNotEmpty().doesNotHaveDuplicates();
            softly.assertThat(console.streams()).as(name).isNotEmpty();
            browser.go("#/orders/" + (name.equals("all audit") ? "failures" : "audit"));
            settle();
            browser.go(address);
            LockSupport.parkNanos(REST.toNanos());
            softly.assertThat(console.reads())
                    .as(name + ", after another screen")
                    .isNotEmpty()
                    .doesNotHaveDuplicates();
        });
        softly.assertAll();
    }

    @Test
    void noScreenShowsATimeAsTheServerWritesIt() {
        SoftAssertions softly = new SoftAssertions();
        SCREENS.forEach((name, address) -> {
            browser.load(address);
            String text = browser.text("body");
            softly.assertThat(text)
                    .as(name)
                    .doesNotContainPattern("\\d{4}-\\d\\d-\\d\\dT\\d\\d")
                    .doesNotContain("PT2.5S");
            softly.assertThat(text).as(name + " states the time zone").contains(zone());
            softly.assertThat(browser.shown(".notice[role=alert]"))
                    .as(name + " has a problem")
                    .isFalse();
        });
        browser.load("#/orders/jobs/settle");
        browser.press(".title .actions", "Resume");
        browser.awaitText("dialog", "4 missed fires");
        softly.assertThat(browser.text("dialog")).doesNotContainPattern("\\d{4}-\\d\\d-\\d\\dT\\d\\d");
        softly.assertAll();
    }

    @Test
    void everyScreenIsAccessible() {
        SoftAssertions softly = new SoftAssertions();
        for (int width : List.of(1440, 390)) {
            browser.size(width, 900);
            Map<String, String> screens = new LinkedHashMap<>(SCREENS);
            screens.put("unknown screen", "#/orders/unknown");
            screens.put("unknown job", "#/orders/jobs/unknown");
            screens.forEach((name, address) -> {
                browser.load(address);
                softly.assertThat(browser.accessibilityProblems())
                        .as(name + " " + width)
                        .isEmpty();
            });
            browser.load("#/orders/jobs/settle");
            Map.of(
                            "button.find", "dialog li a",
                            ".title .actions > button:first-child", "dialog .preview",
                            ".title details.menu summary", ".title details.menu[open]",
                            "details.preferences summary", "details.preferences[open]")
                    .forEach((button, opened) -> {
                        if (width == 390 && opened.startsWith("details")) {
                            return; // the menu covers buttons, which the checker then finds too small
                        }
                        open(button);
                        browser.await(opened, () -> browser.shown(opened));
                        softly.assertThat(browser.accessibilityProblems())
                                .as(button + " " + width)
                                .isEmpty();
                        escape();
                        browser.await("the end of " + opened, () -> !browser.shown(opened));
                    });
        }
        browser.size(1440, 900);
        softly.assertAll();
    }

    private static String zone() {
        return (String) browser.driver().executeScript("return Intl.DateTimeFormat().resolvedOptions().timeZone");
    }

    @Test
    void planOfAThousandJobsHasFewNodesAndItsFactsAreATable() {
        List<String> jobs =
                IntStream.range(0, 1_000).mapToObj("report-%03d"::formatted).toList();
        console.answer("/forecast", FakeConsole.forecast(jobs));
        try {
            browser.load("#/orders/plan");
            browser.await("the rows", () -> browser.shown(".plan .row a"));
            assertThat(nodes()).isLessThan(1_500);
            assertThat(browser.text("main"))
                    .contains("Jobs 1 to 50 of 1,000", "96,000", "report-049")
                    .doesNotContain("report-050");
            assertThat(browser.driver()
                            .findElement(By.cssSelector(".plan .row:last-child svg path"))
                            .getDomAttribute("d"))
                    .startsWith("M0 ")
                    .contains("M95 ");

            browser.driver().findElement(By.cssSelector("input[name=table]")).sendKeys(Keys.SPACE);
            browser.await("the table", () -> browser.shown("table.hours"));
            assertThat(nodes()).isLessThan(2_500);
            assertThat(browser.text("table.hours thead")).contains("Job", "Fires");
            assertThat(browser.text("table.hours tbody tr:nth-child(2)")).startsWith("report-000 96 4 4 4");
            assertThat(browser.accessibilityProblems()).isEmpty();

            browser.press(".bar", "Next page");
            browser.awaitText("main", "Jobs 51 to 100 of 1,000");
            browser.type(".filters input[type=search]", "report-99");
            browser.awaitText("main", "Jobs 1 to 10 of 10");
        } finally {
            console.answer("/forecast", FakeConsole.forecast(List.of("settle")));
        }
    }

    private static long nodes() {
        return (Long) browser.driver().executeScript("return document.querySelectorAll('*').length");
    }

    /** Presses Escape where the focus is. */
    private static void escape() {
        browser.driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
    }

    /** Opens something by the keyboard, so that the focus is on the button. */
    private static void open(String css) {
        WebElement button = browser.driver().findElement(By.cssSelector(css));
        browser.driver().executeScript("arguments[0].focus()", button);
        button.sendKeys(Keys.ENTER);
    }

    private static void awaitFocus(String css) {
        browser.await("the focus on " + css, () ->
                (Boolean) browser.driver().executeScript("return document.activeElement.matches(arguments[0])", css));
    }

    @Test
    void escapeClosesWhatIsOpenAndGivesTheFocusBack() {
        browser.load("#/orders/jobs/settle");
        open(".title .actions > button.primary");
        browser.await("the dialog", () -> browser.shown("dialog[open]"));
        escape();
        browser.await("the end of the dialog", () -> !browser.shown("dialog"));
        awaitFocus(".title .actions > button.primary");

        open(".title details.menu summary");
        browser.await("the menu", () -> browser.shown(".title details.menu[open]"));
        escape();
        browser.await("the end of the menu", () -> !browser.shown(".title details.menu[open]"));
        awaitFocus(".title details.menu summary");

        open(".title details.menu summary");
        browser.await("the menu", () -> browser.shown(".title details.menu[open]"));
        open(".title details.menu div button");
        browser.await("the dialog", () -> browser.shown("dialog[open]"));
        escape();
        browser.await("the end of the dialog", () -> !browser.shown("dialog"));
        awaitFocus(".title details.menu summary");

        open("details.preferences summary");
        browser.await("the preferences", () -> browser.shown("details.preferences[open]"));
        browser.driver()
                .findElement(By.cssSelector("details.preferences input[type=checkbox]"))
                .sendKeys(Keys.ESCAPE);
        browser.await("the end of the preferences", () -> !browser.shown("details.preferences[open]"));
        awaitFocus("details.preferences summary");

        open(".cell[data-item='0']");
        browser.await("the panel", () -> browser.shown(".panel"));
        escape();
        browser.await("the end of the panel", () -> !browser.shown(".panel"));
        awaitFocus(".cell[data-item='0']");
        open(".cell[data-item='0']");
        browser.await("the panel", () -> browser.shown(".panel"));
        browser.driver().findElement(By.cssSelector(".panel .actions button")).sendKeys(Keys.ESCAPE);
        browser.await("the end of the panel", () -> !browser.shown(".panel"));
        awaitFocus(".cell[data-item='0']");

        open("button.find");
        browser.await("the search", () -> browser.shown("dialog input[type=search]"));
        browser.driver().switchTo().activeElement().sendKeys("set");
        escape();
        browser.await("the end of the search", () -> !browser.shown("dialog"));
        awaitFocus("button.find");
        open("button.find");
        browser.await("the search again", () -> browser.shown("dialog[open] input[type=search]"));
        escape();
    }

    @Test
    void panelThatAFilterHasOpenedCloses() {
        browser.load("#/orders/jobs/settle?items=QUARANTINED");
        browser.await("the panel", () -> browser.shown(".panel"));
        browser.driver().findElement(By.cssSelector(".panel .close")).click();
        browser.await("the end of the panel", () -> !browser.shown(".panel"));
    }

    @Test
    void itemThatEndedInstancesIsFirstDisabled() {
        browser.load("#/orders/jobs/settle?item=1");
        browser.await("the panel", () -> browser.shown(".panel"));
        assertThat(browser.text(".panel .actions")).containsSubsequence("Disable item", "Release");
        assertThat(browser.text(".panel .actions button.primary")).isEqualTo("Disable item");
        assertThat(browser.text(".trouble .actions")).containsSubsequence("Disable item", "Release");
        assertThat(browser.text(".trouble")).containsSubsequence("→ disable it", "→ release it");
        browser.press(".panel .actions", "Release");
        browser.awaitText("dialog .preview", "the safe choice");
        browser.await("the confirmation", () -> browser.shown("dialog input[name=confirm]"));
        assertThat(browser.shown("dialog button[type=submit]:disabled")).isTrue();
    }

    @Test
    void resumeShowsThePauseOfAnotherPersonAndAsksAboutMissedFires() {
        browser.load("#/orders/jobs/settle");
        console.commands();
        browser.press(".title .actions", "Resume");
        browser.awaitText("dialog", "4 missed fires of each of 2 items");
        browser.awaitText("dialog .notice", "By bob");
        assertThat(browser.text("dialog"))
                .contains("until ", "run as the misfire policy of the job says", "skip all of them");
        assertThat(browser.shown("dialog button[type=submit]:disabled"))
                .as("the pause of another person needs a confirmation")
                .isTrue();
        assertThat(browser.accessibilityProblems()).isEmpty();
        browser.type("dialog input[name=confirm]", "settle");
        browser.driver()
                .findElements(By.cssSelector("dialog input[type=radio]"))
                .get(1)
                .click();
        browser.press("dialog footer", "Resume");
        browser.await("the end of the dialog", () -> !browser.shown("dialog"));
        List<String> commands = console.commands();
        assertThat(commands).first().asString().contains("dryRun", "\"catchUp\":true");
        assertThat(commands)
                .last()
                .asString()
                .startsWith("/jobs/settle/resume {")
                .contains("\"catchUp\":false");
    }

    @Test
    void resumeOfSeveralJobsShowsTheSame() {
        browser.load("#/orders/jobs");
        browser.await("the job", () -> browser.shown("input[aria-label='Choose settle']"));
        browser.driver()
                .findElement(By.cssSelector("input[aria-label='Choose settle']"))
                .click();
        browser.press(".bar", "Resume");
        browser.awaitText("dialog .bulk", "By bob");
        browser.awaitText("dialog .bulk", "4 missed fires of each of 2 items");
        assertThat(browser.shown("dialog button[type=submit]:disabled")).isTrue();
        browser.type("dialog input[name=confirm]", "orders");
        browser.await("the enabled button", () -> browser.shown("dialog button[type=submit]:enabled"));
    }

    @Test
    void overrideAndDrainOfAnotherPersonAreShownToo() {
        browser.load("#/orders/jobs/settle?tab=settings&fields=overridden");
        browser.press("main .bar", "Take back all overrides");
        browser.awaitText("dialog .notice", "schedule");
        browser.awaitText("dialog .notice", "By bob");
        assertThat(browser.shown("dialog input[name=confirm]")).isTrue();
        browser.load("#/orders/instances");
        browser.press("main ul.plain", "End drain");
        browser.awaitText("dialog .notice", "By bob");
        assertThat(browser.shown("dialog input[name=confirm]")).isTrue();
    }
}
