package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The way to the login, and from there back to the screen before it. */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
class LoginBrowserTest {
    /** A screen that reads its view once, and then only follows the live events. */
    private static final String PLAN = "#/shop/plan?search=settle";

    @TempDir
    Path directory;

    private ConsoleSite site;
    private ZooKeeperRegistry worker;
    private Browser browser;

    @BeforeEach
    void start() throws Exception {
        Browser.require();
        site = new ConsoleSite(directory);
        worker = site.connect();
        browser = Browser.open(site.link());
        browser.await("the overview", () -> browser.shown("#needs"));
    }

    @AfterEach
    void end() {
        if (browser != null) {
            browser.close();
        }
        if (worker != null) {
            worker.close();
        }
        if (site != null) {
            site.close();
        }
    }

    private String hash() {
        return String.valueOf(browser.driver().executeScript("return location.hash"));
    }

    @Test
    void pageReachesTheLoginAfterARestartAndTheLinkLeadsBackToTheScreen() throws Exception {
        browser.go(PLAN);
        site.stopConsole();
        browser.awaitText(".banner", "The console does not answer");
        site.startConsole();
        browser.await("the login", () -> browser.shown(".login input[name=password]"));
        assertThat(hash()).isEqualTo(PLAN);

        browser.driver().executeScript("location.hash = arguments[0]", site.loginHash());
        browser.await("the screen before the login", () -> browser.shown(".filters input[type=search]"));
        assertThat(hash()).isEqualTo(PLAN);
        browser.driver().executeScript("history.back()");
        assertThat(browser.driver().getCurrentUrl()).doesNotContain("password");
    }

    @Test
    void usedLinkEndsNoSession() {
        browser.go(PLAN);
        String used = site.loginHash();
        browser.driver().executeScript("location.hash = arguments[0]", used);
        browser.await("the screen before the link", () -> hash().equals(PLAN) && browser.shown(".filters"));
        assertThat(browser.text("header.top")).contains("admin");
    }

    @Test
    void pageThatCouldNotReachTheConsoleTriesAgainByItself() {
        for (String path : List.of("session", "namespaces", "*/forecast*")) {
            block("*/api/v1/" + path);
            browser.visit("icon.svg");
            browser.visit(PLAN);
            browser.await("the problem", () -> browser.shown(".notice.bad"));
            block();
            browser.await("the plan", () -> browser.shown(".filters") && !browser.shown(".notice.bad"));
        }
    }

    private void block(String... addresses) {
        browser.driver().executeCdpCommand("Network.enable", Map.of());
        browser.driver().executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of(addresses)));
    }
}
