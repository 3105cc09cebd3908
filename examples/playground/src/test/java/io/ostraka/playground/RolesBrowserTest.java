package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.console.security.Passwords;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openqa.selenium.By;
import org.openqa.selenium.WindowType;

/** Two people with different roles, each with a browser, at the same time. */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
class RolesBrowserTest {
    private static final String PASSWORD = "vivid lantern under maple";
    private static final String VIEW = "/api/v1/namespaces/playground/jobs/send-reminders";

    private static final Stage STAGE = new Stage();
    private static URI site;
    private static Browser viewer;
    private static Browser operator;

    @BeforeAll
    static void start() throws Exception {
        Browser.require();
        String hash = Passwords.hash(PASSWORD.toCharArray());
        Playground playground = new Playground(
                STAGE,
                new Options(OptionalInt.of(0), false, JobSet.SHOP),
                List.of(
                        "users.vera.password=" + hash,
                        "users.vera.grants=VIEWER playground",
                        "users.olga.password=" + hash,
                        "users.olga.grants=OPERATOR playground/send-*"),
                text -> {});
        site = playground.login().resolve("/");
        viewer = STAGE.keep(login(site, "vera"));
        operator = STAGE.keep(login(site, "olga"));
    }

    @AfterAll
    static void end() {
        STAGE.close();
    }

    private static Browser login(URI site, String user) {
        Browser browser = Browser.open(site);
        browser.type(".login input[name=user]", user);
        browser.type(".login input[name=password]", PASSWORD);
        browser.press(".login", "Log in");
        browser.await("the overview", () -> browser.shown("#needs"));
        return browser;
    }

    @Test
    void viewerSeesWhichRoleIsMissingAndTheServerRefusesTheCommandToo() {
        viewer.go("#/playground/jobs/send-reminders");
        viewer.await(
                "the disabled button",
                () -> viewer.driver().findElements(By.cssSelector(".title .actions button:disabled")).stream()
                        .anyMatch(each -> each.getText().equals("Pause")
                                && each.getAttribute("title").contains("OPERATOR")));
        assertThat(viewer.request(VIEW + "/pause", "{}")).contains("FORBIDDEN", "needs the role OPERATOR");
        assertThat(viewer.shown(".playground")).isFalse();
    }

    @Test
    void operatorOfSomeJobsSeesOnlyThese() {
        operator.go("#/playground/jobs");
        operator.await("one job", () -> operator.text("table.jobs").contains("send-reminders"));
        assertThat(operator.driver().findElements(By.cssSelector("table.jobs tbody tr")))
                .hasSize(1);
    }

    @Test
    void changeOfOnePersonAppearsInTheBrowserOfTheOther() {
        viewer.go("#/playground/jobs/send-reminders");
        operator.go("#/playground/jobs/send-reminders");
        operator.press(".title .actions", "Pause");
        operator.type("dialog input[name=reason]", "the mail server moves");
        operator.press("dialog footer", "Pause");
        viewer.awaitText(".trouble", "the mail server moves");
        assertThat(viewer.text(".trouble")).contains("olga");
        operator.await("the pause", () -> operator.text("h1").contains("paused"));
        operator.press(".title .actions", "Resume");
        operator.press("dialog footer", "Resume");
        viewer.await("the end of the pause", () -> viewer.text("h1").contains("active"));
    }

    /** A reason that reverses the direction of the text could make a page show other words than it has. */
    @Test
    void pageShowsMarksOfTheDirectionAsTheirCodes() {
        operator.request(VIEW + "/pause", "{\"reason\":\"ticket \u202e24\u2066 \u200f\"}");
        viewer.go("#/playground/jobs/send-reminders");
        viewer.awaitText(".trouble", "ticket \\u202e24\\u2066 \\u200f");
        assertThat(viewer.driver().getPageSource()).doesNotContain("\u202e", "\u2066", "\u200f");
        operator.request(VIEW + "/resume", "{}");
        viewer.await("the end of the pause", () -> viewer.text("h1").contains("active"));
    }

    @Test
    void userEndsAStolenSession() {
        Browser stolen = login(site, "vera");
        try (stolen) {
            viewer.driver().findElement(By.cssSelector(".preferences summary")).click();
            viewer.press("header", "Sessions");
            viewer.await("two sessions", () -> rows() == 2);
            viewer.press("dialog tr:not(.chosen)", "End");
            viewer.await("one session", () -> rows() == 1);
            stolen.await("the login", () -> stolen.shown(".login"));
        }
        viewer.press("dialog .head", "✕");
    }

    private static int rows() {
        return viewer.driver().findElements(By.cssSelector("dialog tbody tr")).size();
    }

    @Test
    void tabsOfABrowserShareOneStream() {
        String first = viewer.driver().getWindowHandle();
        viewer.go("#/playground/jobs/send-reminders");
        String address = viewer.driver().getCurrentUrl();
        for (int tab = 0; tab < 7; tab++) {
            viewer.driver().switchTo().newWindow(WindowType.TAB);
            viewer.driver().get(address);
            viewer.await("the job", () -> viewer.shown(".map .cell"));
        }
        // the tab in front asks for its lock after its first read, and a tab that was hidden for long gives its lock up
        viewer.await("one stream, and tabs that wait for it", () -> {
            List<?> locks = locks();
            return locks.get(0).equals(1L) && (Long) locks.get(1) > 0;
        });
        for (String window : viewer.driver().getWindowHandles()) {
            if (!window.equals(first)) {
                viewer.driver().switchTo().window(window).close();
            }
        }
        viewer.driver().switchTo().window(first);
        viewer.await("the job", () -> viewer.shown(".map .cell"));
    }

    /** Returns how many tabs have the lock for the stream, and how many wait for it. */
    private static List<?> locks() {
        return (List<?>) Objects.requireNonNull(viewer.driver()
                .executeAsyncScript("const done = arguments[arguments.length - 1];"
                        + "navigator.locks.query().then(each => done([each.held.length, each.pending.length]))"));
    }
}
