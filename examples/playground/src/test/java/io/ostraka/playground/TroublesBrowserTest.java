package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the pages show of alarms, of a freeze, and of instances that hang or have died. */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TroublesBrowserTest {
    private static final String API = "/api/v1/namespaces/shop/";
    /** Screens that show next fires, each with an element that only the read screen has. */
    private static final String[][] WITH_FIRES = {
        {"#/shop", "aside ul.plain li"},
        {"#/shop/jobs", "td.nextFire"},
        {"#/shop/jobs/settle", "h1 .state"},
        {"#/shop/jobs/settle?tab=next", "ol.fires li"},
        {"#/shop/plan", ".plan .slots svg path"},
    };

    private static final AtomicBoolean hangs = new AtomicBoolean(true);

    @TempDir
    static Path directory;

    private static ConsoleSite site;
    private static ZooKeeperRegistry worker;
    private static Browser browser;

    @BeforeAll
    static void start() throws Exception {
        Browser.require();
        site = new ConsoleSite(directory);
        worker = site.connect();
        SimpleJob settle = context -> {};
        SimpleJob remind = context -> {
            throw new IllegalStateException("no mail server");
        };
        SimpleJob render = context -> {
            while (hangs.get()) {
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
                Thread.interrupted(); // an interrupted thread would not wait
            }
        };
        worker.schedule(settle, job("settle", Duration.ofHours(1)).build());
        worker.schedule(
                remind,
                job("remind", Duration.ofSeconds(5))
                        .retry(RetryPolicy.none())
                        .alarms(AlarmPolicy.defaults().failuresInARow(1))
                        .build());
        worker.schedule(
                render,
                job("render", Duration.ofSeconds(10))
                        .timeout(Duration.ofSeconds(1))
                        .shutdownGrace(Duration.ofSeconds(1))
                        .build());
        browser = Browser.open(site.link());
        browser.await("the overview", () -> browser.shown("#needs"));
    }

    private static JobConfiguration.Builder job(String name, Duration period) {
        return JobConfiguration.newBuilder(name, 2).schedule(Schedule.fixedRate(period));
    }

    @AfterAll
    static void end() {
        hangs.set(false);
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

    private static void command(String path, String body) {
        assertThat(browser.request(API + path, body)).contains("APPLIED");
    }

    @Test
    @Order(1)
    void silencedAlarmNamesThePersonAndTheEndAndNeedsNobody() {
        browser.go("#/shop/alarms");
        browser.await("the alarm", () -> browser.shown("article.bad[data-job=remind]"));
        command(
                "jobs/remind/silence-alarms",
                "{\"until\":\"2999-01-01T00:00:00Z\",\"reason\":\"the provider is down\"}");
        browser.go("#/shop");
        browser.go("#/shop/alarms");
        browser.awaitText("article.idle[data-job=remind]", "By admin");
        assertThat(browser.text("article.idle[data-job=remind]"))
                .contains("silenced", "the provider is down", "until 2999-01-01");
        for (String screen : new String[] {"#/shop", "#/shop/jobs/remind"}) {
            browser.go(screen);
            browser.await("the silence on " + screen, () -> browser.shown("article.trouble.idle[data-job=remind]"));
            assertThat(browser.text("article[data-job=remind]"))
                    .contains("silenced by admin", "the provider is down", "until 2999-01-01", "End silence")
                    .doesNotContain("▲");
        }
    }

    @Test
    @Order(2)
    void jobsOfAFrozenNamespaceSayThatTheyAreFrozenAndCountNothingDown() {
        command("freeze", "{\"until\":\"2999-01-01T00:00:00Z\"}");
        for (String[] screen : WITH_FIRES) {
            String area = screen[0].equals("#/shop") ? "aside" : "main";
            browser.go(screen[0]);
            browser.await(
                    "frozen on " + screen[0],
                    () -> browser.shown(screen[1]) && browser.text(area).contains("until 2999-01-01"));
            assertThat(browser.text(area))
                    .as(screen[0])
                    .contains("frozen")
                    .doesNotContainPattern("\\bin \\d+ (s|min|h)\\b")
                    .doesNotContain("● active");
        }
        browser.go("#/shop/jobs");
        command("thaw", "{}");
        browser.awaitText("tr:last-child td.nextFire", "in ");
        browser.go("#/shop/plan");
        browser.await("the plan", () -> browser.shown(".plan .slots svg path"));
        assertThat(browser.shown(".slots .frozen")).isFalse();
    }

    @Test
    @Order(3)
    void instanceWhoseRunsHangIsStuckAndNamesTheJob() {
        browser.go("#/shop/instances");
        browser.await("the stuck instance", () -> browser.text("[data-instance=worker-1]")
                .contains("stuck"));
        assertThat(browser.text("[data-instance=worker-1]"))
                .contains("render", "code still runs")
                .doesNotContain("working");
        browser.go("#/shop/jobs/render");
        browser.await("the stuck lane", () -> browser.text(".lane[data-instance=worker-1]")
                .contains("stuck"));
    }

    @Test
    @Order(4)
    void deadInstanceIsShownWhileItsItemsWait() {
        browser.go("#/shop/instances");
        worker.close();
        browser.await("the dead instance", () -> browser.text("[data-instance=worker-1]")
                .contains("dead"));
        assertThat(browser.text("[data-instance=worker-1]")).contains("render", "has shut down or lost its session");
    }
}
