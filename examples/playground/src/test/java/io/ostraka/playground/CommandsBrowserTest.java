package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.LocalDate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Cookie;
import org.openqa.selenium.WebElement;

/** Commands by the buttons of the pages, against three worker processes and a real ZooKeeper. */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
class CommandsBrowserTest {
    private static final String API = "/api/v1/namespaces/playground/";

    @TempDir
    static Path directory;

    private static PlaygroundProcess playground;
    private static Browser browser;

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

    /** Presses a button that opens a dialog, and confirms the dialog. */
    private static void command(String area, String label, String confirm) {
        browser.press(area, label);
        browser.await("the dialog", () -> browser.shown("dialog[open]"));
        browser.type("dialog input[name=reason]", "a test of the pages");
        browser.press("dialog footer", confirm);
        browser.await("the end of the dialog", () -> !browser.shown("dialog[open]"));
    }

    private static void more() {
        browser.driver().executeScript("document.querySelector('.title details.menu').open = true");
    }

    private static boolean answers(String path, String part) {
        return browser.request(API + path, "").contains(part);
    }

    @Test
    void overviewShowsTheProblemsOfTheApi() {
        browser.go("#/playground");
        browser.await("the problems of the API", () -> (Boolean) browser.driver()
                .executeScript(
                        """
                        const shown = [...document.querySelectorAll('li[data-kind]')]
                            .map(each => [each.closest('article').dataset.job ?? null, each.dataset.kind, each.dataset.level]);
                        const listed = JSON.parse(arguments[0]).problems.map(each => [each.job ?? null, each.kind, each.level]);
                        return JSON.stringify(shown.sort()) === JSON.stringify(listed.sort());
                        """,
                        browser.request(API + "problems", "")));
    }

    @Test
    void jobIsPausedAndResumedAndThePageShowsWhyAndByWhom() {
        browser.go("#/playground/jobs/import-orders");
        command(".title .actions", "Pause", "Pause");
        browser.awaitText(".trouble", "admin");
        browser.awaitText(".trouble", "a test of the pages");
        assertThat(answers("jobs/import-orders", "\"PAUSED\"")).isTrue();
        browser.go("#/playground/audit");
        browser.await("the offer to resume", () -> offers("import-orders", "Pause", "Resume"));
        browser.go("#/playground/jobs/import-orders");
        browser.press(".title .actions", "Resume");
        browser.awaitText("dialog", "as the misfire policy of the job says");
        browser.awaitText("dialog .notice", "a test of the pages");
        browser.awaitText("dialog", "the command reports");
        assertThat(browser.text("dialog")).contains("Reason (optional)");
        browser.press("dialog footer", "Resume");
        browser.await("the active state", () -> browser.text("h1").contains("active"));
        browser.go("#/playground/audit");
        browser.await("the offer to pause", () -> offers("import-orders", "Resume", "Pause"));
        assertThat(offers("import-orders", "Pause", "Resume")).isFalse();
    }

    /** Returns whether the latest row of the audit with a command and its job offers to take the command back. */
    private static boolean offers(String job, String command, String opposite) {
        return Boolean.TRUE.equals(browser.driver()
                .executeScript(
                        "const row = [...document.querySelectorAll('tbody tr')].find(each => each.children[3].innerText === arguments[0]"
                                + " && each.children[2].innerText.startsWith(arguments[1]));"
                                + "return row !== undefined && row.querySelector('.actions button')?.innerText === arguments[2]",
                        job,
                        command,
                        opposite));
    }

    @Test
    void runsNameTheItemThatHasNotRun() {
        assertThat(browser.request(API + "jobs/import-orders/disable-item", "{\"item\":\"2\"}"))
                .contains("APPLIED");
        browser.go("#/playground/jobs/import-orders?tab=runs");
        browser.await(
                "a run without the item", () -> browser.driver().findElements(By.cssSelector("td .outcomes")).stream()
                        .map(WebElement::getText)
                        .anyMatch(each ->
                                each.contains("5 of 6 items") && each.contains("Item 2") && each.contains("disabled")));
        browser.request(API + "jobs/import-orders/enable-item", "{\"item\":\"2\"}");
    }

    @Test
    void dayBeforeThePresentOneIsYesterday() {
        browser.go("#/playground/plan");
        browser.await("the plan", () -> browser.shown(".plan"));
        LocalDate today = LocalDate.parse(value("input[type=date]"));
        browser.press(".filters", "‹ Day before");
        browser.await(
                "yesterday", () -> LocalDate.parse(value("input[type=date]")).equals(today.minusDays(1)));
    }

    private static String value(String css) {
        return String.valueOf(browser.driver().findElement(By.cssSelector(css)).getDomProperty("value"));
    }

    @Test
    void itemIsDisabledEnabledAndTriggered() {
        browser.go("#/playground/jobs/settle-orders?item=2");
        command(".panel", "Disable item", "Disable item");
        browser.await(
                "the disabled cell",
                () -> browser.shown(".panel .state.hold")
                        && browser.text(".panel").contains("Enable item"));
        command(".panel", "Enable item", "Enable item");
        browser.await("the enabled cell", () -> browser.text(".panel").contains("Disable item"));
        command(".panel", "Trigger", "Trigger");
        browser.await(
                "a triggered run of the item", () -> answers("jobs/settle-orders/items?item=2", "\"triggered\":true"));
    }

    @Test
    void fieldIsOverriddenAndTakenBack() {
        browser.go("#/playground/jobs/refresh-prices?tab=settings");
        browser.driver()
                .executeScript(
                        "[...document.querySelectorAll('tbody tr')].find(row => row.innerText.startsWith('description'))"
                                + ".querySelector('button').click()");
        browser.await("the dialog", () -> browser.shown("dialog[open] textarea"));
        browser.type("dialog textarea", "renamed by a test");
        browser.type("dialog input[name=reason]", "ticket 7");
        browser.press("dialog footer", "Override");
        browser.await(
                "the override in the table", () -> browser.text("tr.chosen").contains("ticket 7"));
        assertThat(browser.text("tr.chosen")).contains("renamed by a test", "admin");
        command("tr.chosen", "Take back", "Take back override");
        browser.await("the end of the override", () -> !browser.shown("tr.chosen"));
    }

    @Test
    void instanceIsDrainedAndItsItemsMoveOnTheMap() {
        browser.go("#/playground/instances");
        command("[data-instance=worker-3]", "Drain", "Drain");
        browser.await("the drain", () -> browser.text("main").contains("worker-3 is drained"));
        browser.go("#/playground/jobs/build-search-index");
        browser.await(
                "the items on the others",
                () -> !browser.shown("[data-instance=worker-3] .cell")
                        && browser.driver()
                                        .findElements(By.cssSelector(".cell"))
                                        .size()
                                == 40);
        browser.go("#/playground/instances");
        command("main ul.plain", "End drain", "End drain");
        browser.await("the end of the drain", () -> !browser.text("main").contains("is drained"));
    }

    @Test
    void worstCommandNeedsTheNameOfItsTarget() {
        browser.go("#/playground/jobs/close-month");
        more();
        browser.press(".title .actions", "Remove");
        browser.await("the dialog", () -> browser.shown("dialog[open] input[name=confirm]"));
        browser.await("the end of the menu", () -> !browser.shown(".title details.menu[open]"));
        assertThat(browser.shown("dialog button[type=submit]:disabled")).isTrue();
        browser.type("dialog input[name=confirm]", "close-mont");
        assertThat(browser.shown("dialog button[type=submit]:disabled")).isTrue();
        browser.type("dialog input[name=confirm]", "close-month");
        browser.await("the enabled button", () -> browser.shown("dialog button[type=submit]:enabled"));
        browser.press("dialog footer", "Cancel");
    }

    @Test
    void lostUpdateIsRefusedInWordsAndMayBeRepeated() {
        browser.go("#/playground/jobs/render-reports");
        browser.press(".title .actions", "Pause");
        browser.await("the preview", () -> browser.shown("dialog .preview"));
        String other = browser.request(API + "jobs/render-reports/pause", "{\"reason\":\"by another person\"}");
        assertThat(other).contains("APPLIED");
        browser.press("dialog footer", "Pause");
        browser.awaitText("dialog", "Somebody was faster");
        browser.press("dialog footer", "I have seen the change. Do it");
        browser.await("the end of the dialog", () -> !browser.shown("dialog[open]"));
        browser.request(API + "jobs/render-reports/resume", "{}");
    }

    @Test
    void bulkCommandActsOnTheJobsThatWereChosen() {
        browser.go("#/playground/jobs?search=s");
        browser.await("the jobs", () -> browser.shown("input[aria-label='Choose sync-stock']"));
        browser.driver()
                .executeScript(
                        "for (const name of ['sync-stock', 'settle-orders']) document.querySelector(`input[aria-label='Choose ${name}']`).click()");
        browser.press(".bar", "Pause");
        browser.await("the dialog", () -> browser.shown("dialog .bulk"));
        assertThat(browser.text("dialog .bulk"))
                .contains("sync-stock", "settle-orders")
                .doesNotContain("send-reminders");
        browser.press("dialog footer", "Pause (2)");
        browser.await("the end of the dialog", () -> !browser.shown("dialog[open]"));
        assertThat(answers("jobs/sync-stock", "\"PAUSED\"") && answers("jobs/settle-orders", "\"PAUSED\""))
                .isTrue();
        browser.request(API + "jobs/sync-stock/resume", "{}");
        browser.request(API + "jobs/settle-orders/resume", "{}");
    }

    @Test
    void killedWorkerLeavesTheMapAndItsItemsRunElsewhere() {
        browser.go("#/playground/jobs/build-search-index");
        browser.await("the worker's items", () -> browser.shown("[data-instance=worker-1] .cell"));
        assertThat(browser.request("/api/v1/playground/kill", "{\"worker\":\"worker-1\"}"))
                .contains("DEAD");
        browser.await(
                "the map without the worker",
                () -> !browser.shown("[data-instance=worker-1] .cell")
                        && browser.driver()
                                        .findElements(By.cssSelector(".cell"))
                                        .size()
                                == 40);
        browser.go("#/playground/instances");
        browser.press(".playground", "Start");
        browser.await("the worker", () -> browser.shown(".cards [data-instance=worker-1]"));
    }

    @Test
    void expiredSessionAsksForALogin() {
        Cookie session =
                browser.driver().manage().getCookies().stream().findFirst().orElseThrow();
        browser.go("#/playground/audit");
        browser.driver().manage().deleteCookie(session);
        browser.driver().executeScript("location.hash = '#/playground/jobs'");
        browser.await("the login", () -> browser.shown(".login input[name=password]"));
        browser.type(".login input[name=user]", "admin");
        browser.type(".login input[name=password]", "wrong");
        browser.press(".login", "Log in");
        browser.awaitText(".login", "the user or the password is wrong");
        browser.driver().manage().addCookie(session);
        browser.load("#/playground");
        browser.await("the overview", () -> browser.shown("#needs"));
    }
}
