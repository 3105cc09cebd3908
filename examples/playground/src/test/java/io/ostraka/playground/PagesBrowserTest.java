package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
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
import org.openqa.selenium.interactions.Actions;

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
        assertThat(browser.text(".trouble"))
                .containsSubsequence("Disable item", "→ disable it", "Release", "→ release it");
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

    /** Replaces prepared answers, given as paths and JSON, for the time of a check. */
    private static void with(Map<String, String> answers, Runnable check) {
        Map<String, String> before = new LinkedHashMap<>();
        answers.forEach((path, answer) -> {
            before.put(path, console.prepared(path));
            console.answer(path, answer);
        });
        try {
            check.run();
        } finally {
            before.forEach(console::answer);
        }
    }

    private static String problem(String job, String kind, String level, int minute) {
        return problem(job, kind, level, minute, "");
    }

    private static String problem(String job, String kind, String level, int minute, String remedies) {
        return "{'job':'%s','kind':'%s','level':'%s','text':'item 1 of a@1@2','details':[],'since':'2026-01-31T22:%02d:00Z','instances':['a@1@2'],'items':['1'],'alarms':['FAILING'],'remedies':[%s]}"
                .formatted(job, kind, level, minute, remedies);
    }

    private static String problems(String... problems) {
        return "{'problems':[" + String.join(",", problems) + "]}";
    }

    /** Has the page read its views again and waits until the list of troubles names these jobs in this order. */
    private static void awaitTroubles(String... jobs) {
        browser.driver().executeScript("return import('/app/view.mjs').then(view => view.readAgain())");
        browser.await(
                "the order " + List.of(jobs),
                () -> browser.driver().findElements(By.cssSelector(".trouble h2")).stream()
                        .map(WebElement::getText)
                        .toList()
                        .equals(List.of(jobs)));
    }

    @Test
    void troublesStayInTheirPlacesWhenOthersArrive() {
        String noted = problem("noted", "OVERRIDE", "NOTE", 1);
        String warned = problem("warned", "PAUSED", "WARNING", 2);
        String failed = problem("failed", "STUCK_ITEMS", "ERROR", 3);
        with(Map.of("/problems", problems(failed, warned, noted)), () -> {
            browser.load("#/orders");
            awaitTroubles("failed", "warned", "noted");
            console.answer("/problems", problems(problem("first", "NO_HOST", "ERROR", 0), failed, warned, noted));
            awaitTroubles("failed", "first", "warned", "noted");
            new Actions(browser.driver())
                    .moveToElement(browser.driver().findElement(By.cssSelector(".trouble[data-job=warned] h2")))
                    .perform();
            console.answer(
                    "/problems",
                    problems(
                            problem("second", "NO_HOST", "ERROR", 0),
                            problem("first", "NO_HOST", "ERROR", 0),
                            failed,
                            warned,
                            noted));
            awaitTroubles("failed", "first", "warned", "noted", "second");
            new Actions(browser.driver())
                    .moveToElement(browser.driver().findElement(By.cssSelector("a.brand")))
                    .perform();
            awaitTroubles("failed", "first", "second", "warned", "noted");
        });
    }

    @Test
    void jobThatNoInstanceHostsHasNoCountdown() {
        String job = console.prepared("/jobs")
                .replace("PAUSED", "ACTIVE")
                .replace("{\"a@1@2\":2}", "{}")
                .replace("\"nextFire\":\"2026", "\"nextFire\":\"2999");
        with(Map.of("/jobs", job), () -> {
            browser.load("#/orders/jobs");
            browser.await("the job", () -> browser.shown("td.job"));
            assertThat(browser.text("td.state")).contains("no instance runs it").doesNotContain("active");
            assertThat(browser.shown("td.nextFire time")).isFalse();
            browser.load("#/orders");
            assertThat(browser.shown("aside time[datetime^='2999']")).isFalse();
        });
    }

    @Test
    void everyEffectOfACommandCanBeRead() {
        String effects =
                IntStream.range(0, 15).mapToObj("'effect %d'"::formatted).collect(Collectors.joining(","));
        with(Map.of("/jobs/settle/trigger", "{'effects':[" + effects + "]}"), () -> {
            browser.load("#/orders/jobs/settle");
            browser.press(".title .actions", "Trigger");
            browser.awaitText("dialog .preview", "3 more");
            assertThat(browser.text("dialog .preview")).doesNotContain("effect 14");
            browser.press("dialog .preview", "3 more");
            browser.awaitText("dialog .preview", "effect 14");
        });
    }

    @Test
    void instancesHaveTheirNamesInEveryText() {
        SoftAssertions softly = new SoftAssertions();
        SCREENS.forEach((name, address) -> {
            browser.load(address);
            softly.assertThat(browser.text("body").replace("Id\na@1@2", ""))
                    .as(name)
                    .doesNotContain("a@1@2");
        });
        softly.assertAll();
        browser.load("#/orders/instances");
        assertThat(browser.text(".card")).contains("2 items of 1 job");
        console.commands();
        browser.press(".card", "Evict");
        browser.awaitText("dialog .preview", "ends the session of a");
        assertThat(browser.text("dialog")).doesNotContain("a@1@2");
        assertThat(browser.shown("dialog .preview [title='a@1@2']")).isTrue();
        browser.type("dialog input[name=confirm]", "a");
        browser.press("dialog footer", "Evict");
        browser.await("the message", () -> browser.shown(".messages p"));
        assertThat(browser.text(".messages")).isEqualTo("evicts a");
        assertThat(
                        (Boolean)
                                browser.driver()
                                        .executeScript(
                                                "return document.querySelector('.messages p').getBoundingClientRect().right < innerWidth / 2"))
                .as("the message leaves the side of the panels free")
                .isTrue();
        assertThat(console.commands()).last().asString().contains("\"instance\":\"a@1@2\"");
    }

    @Test
    void nameOfTwoInstancesIsNoConfirmation() {
        String instances = console.prepared("/instances");
        String other = instances
                .substring(instances.indexOf('[') + 1, instances.lastIndexOf(']'))
                .replace("a@1@2", "a@1@3");
        with(Map.of("/instances", instances.replace("]}", "," + other + "]}")), () -> {
            browser.load("#/orders/instances");
            browser.press(".card", "Evict");
            browser.awaitText("dialog", "Type a@1@2 to confirm");
        });
    }

    @Test
    void adviceStandsBesideItsButtonAndALinkOnlyOnce() {
        String items = "{'text':'see','operation':'ITEMS','command':null}";
        String quarantined = problem(
                "settle",
                "QUARANTINED_ITEMS",
                "ERROR",
                0,
                "{'text':'disable it','operation':'DISABLE_ITEM','command':{'job':'settle','item':'1'}},"
                        + "{'text':'release it','operation':'RELEASE_ITEM','command':{'job':'settle','item':'1'}},"
                        + items);
        with(
                Map.of("/problems", problems(quarantined, problem("settle", "INTERRUPTED_ITEMS", "ERROR", 0, items))),
                () -> {
                    browser.load("#/orders");
                    browser.await("the trouble", () -> browser.shown(".trouble"));
                    assertThat(browser.driver().findElements(By.cssSelector(".trouble .choice")))
                            .extracting(each -> each.getText().replace('\n', ' '))
                            .containsExactly("Disable item → disable it", "Release → release it");
                    assertThat(browser.driver().findElements(By.cssSelector(".trouble a.button")))
                            .hasSize(1);
                    assertThat(browser.driver()
                                    .findElement(By.cssSelector(".trouble .kind [title]"))
                                    .getDomAttribute("title"))
                            .isEqualTo("An alarm is firing");
                });
    }

    @Test
    void tileOfAStuckRunSaysSo() {
        String items = console.prepared("/jobs/settle/items").replace("QUARANTINED", "RUNNING");
        with(
                Map.of(
                        "/jobs/settle/items",
                        items,
                        "/problems",
                        problems(problem("settle", "STUCK_ITEMS", "ERROR", 0))),
                () -> {
                    browser.load("#/orders/jobs/settle?item=1");
                    browser.await("the panel", () -> browser.shown(".panel"));
                    assertThat(browser.shown(".cell[data-item='1'][data-state=STUCK]"))
                            .isTrue();
                    assertThat(browser.text(".panel header")).contains("stuck");
                    String path = "/jobs/settle/items/1/explanation";
                    with(
                            Map.of(
                                    path,
                                    "{'explanation':'the run is over its timeout: 3 instances died since "
                                            + FakeConsole.TIME + "'}"),
                            () -> {
                                browser.driver()
                                        .executeScript("return import('/app/view.mjs').then(view => view.readAgain())");
                                browser.awaitText(".panel .why", "over its timeout");
                                assertThat(browser.shown(".panel .notice"))
                                        .as("the error a second time")
                                        .isFalse();
                            });
                });
    }

    @Test
    void runOffersOnlyWhatItsLastAttemptsNeed() {
        String path = "/history/jobs/settle/runs/settle%40" + FakeConsole.TIME.replace(":", "%3A");
        String claim =
                "{'item':'1','instance':'a@1@2','fencingToken':%d,'attempt':%d,'attempts':1,'fireTime':'%s','runNumber':%d,'outcome':'%s','claimedAt':'%s','startedAt':'%s','endedAt':'%s','shardingTotalCount':2}";
        String lost = claim.formatted(
                1, 1, FakeConsole.TIME, 1, "LOST", FakeConsole.TIME, FakeConsole.TIME, "2026-01-31T22:02:00Z");
        String lostAgain = claim.formatted(
                2,
                2,
                FakeConsole.TIME,
                2,
                "LOST",
                "2026-01-31T22:02:00Z",
                "2026-01-31T22:02:00Z",
                "2026-01-31T22:04:10Z");
        String ended = claim.formatted(
                3,
                3,
                FakeConsole.TIME,
                3,
                "SUCCEEDED",
                "2026-01-31T22:04:10Z",
                "2026-01-31T22:04:10Z",
                "2026-01-31T22:04:14Z");
        with(Map.of(path, "{'claims':[" + lost + "," + lostAgain + "," + ended + "]}"), () -> {
            browser.load(SCREENS.get("run"));
            browser.await("the bars", () -> browser.shown(".claim"));
            assertThat(browser.text(".facts")).containsSubsequence("Stragglers", "1");
            assertThat(browser.text(".run .bar")).doesNotContain("Run failed items again");
            assertThat((Boolean) browser.driver()
                            .executeScript(
                                    "return document.querySelector('.axis span:last-child').getBoundingClientRect().right"
                                            + " < document.querySelector('.gantt').getBoundingClientRect().right"))
                    .isTrue();
        });
    }

    /** An item that is disabled now has not run earlier fires for another reason. */
    @Test
    void onlyFiresSinceAnItemWasDisabledAreHeldByThat() {
        String run =
                "{'runId':'settle@%1$s','fireTime':'%1$s','firstStart':'%1$s','lastEnd':'%1$s','triggered':false,'shardingTotalCount':2,'claims':1,'outcomes':{'SUCCEEDED':1}}";
        String items = console.prepared("/jobs/settle/items")
                .replaceFirst("\"disabled\":false", "\"disabled\":true,\"decidedUpTo\":\"2026-01-31T21:00:00Z\"")
                .replace("\"decidedUpTo\":\"" + FakeConsole.TIME, "\"decidedUpTo\":\"2026-01-31T23:00:00Z");
        with(
                Map.of(
                        "/jobs/settle",
                        console.prepared("/jobs/settle")
                                .replace(
                                        "\"changes\":{}",
                                        "\"changes\":{\"disabledItems\":{\"by\":\"bob\",\"reason\":\"\",\"at\":\"2026-01-31T22:30:00Z\"}}"),
                        "/jobs/settle/items",
                        items,
                        "/history/jobs/settle/runs",
                        "{'runs':[" + run.formatted("2026-01-31T23:00:00Z") + "," + run.formatted(FakeConsole.TIME)
                                + "]}"),
                () -> {
                    browser.load("#/orders/jobs/settle?tab=runs");
                    browser.await("the states of the item", () -> missing().size() == 2);
                    assertThat(missing().get(0)).contains("1 of 2 items", "Item 0", "disabled");
                    assertThat(missing().get(1)).contains("Item 0", "waiting").doesNotContain("disabled");
                });
    }

    private static List<String> missing() {
        return browser.driver().findElements(By.cssSelector("td .outcomes")).stream()
                .map(WebElement::getText)
                .filter(each -> each.contains("Item 0"))
                .toList();
    }

    @Test
    void skippedFiresNameThePauseThatTheServerKnows() {
        String cause =
                "'reason':'MISFIRED','cause':{'state':'FROZEN','by':'bob','reason':'ticket 7','from':'%1$s','to':'%1$s'}"
                        .formatted(FakeConsole.TIME)
                        .replace('\'', '"');
        for (String tab : List.of("skipped", "account")) {
            String path = "/history/jobs/settle/" + tab;
            browser.load(SCREENS.get(tab));
            browser.awaitText("tbody", "could not start in time");
            with(Map.of(path, console.prepared(path).replace("\"reason\":\"MISFIRED\"", cause)), () -> {
                browser.load(SCREENS.get(tab));
                browser.awaitText("tbody", "the namespace was frozen (");
                assertThat(browser.text("tbody"))
                        .contains("By bob: ", "ticket 7")
                        .doesNotContain("could not start in time", "Show events");
            });
        }
    }

    @Test
    void silenceNamesTheKindsOfAlarmsInWords() {
        with(Map.of("/problems", problems(problem("settle", "FAILED_ITEMS", "ERROR", 0))), () -> {
            browser.load("#/orders");
            browser.press(".trouble", "Silence");
            browser.awaitText("dialog .fixed", "Failing");
            assertThat(browser.text("dialog")).doesNotContain("FAILING");
        });
    }

    @Test
    void planExplainsTheColoursThatItHas() {
        browser.load("#/orders/plan");
        browser.awaitText("main", "fires in a quarter of an hour");
        assertThat(browser.text("main")).doesNotContain("frozen: these fires wait", "excluded by the schedule");
        String frozen = console.prepared("")
                .replaceFirst(
                        "\\{", "{\"frozen\":{\"by\":\"bob\",\"reason\":\"\",\"at\":\"" + FakeConsole.TIME + "\"},");
        with(Map.of("", frozen), () -> {
            browser.load("#/orders/plan");
            browser.awaitText("main", "frozen: these fires wait");
            assertThat(browser.shown(".swatch.frozen")).isTrue();
            assertThat(browser.accessibilityProblems()).isEmpty();
        });
    }

    @Test
    void triggerOfSeveralJobsShowsWhatTheServerWarnsOf() {
        with(
                Map.of("/jobs/settle/trigger", "{'effects':['triggers 2 items','the namespace is frozen by bob']}"),
                () -> {
                    browser.load("#/orders/jobs");
                    browser.await("the job", () -> browser.shown("input[aria-label='Choose settle']"));
                    browser.driver()
                            .findElement(By.cssSelector("input[aria-label='Choose settle']"))
                            .click();
                    browser.press(".bar", "Trigger");
                    browser.awaitText("dialog .bulk", "the namespace is frozen by bob");
                });
    }
}
