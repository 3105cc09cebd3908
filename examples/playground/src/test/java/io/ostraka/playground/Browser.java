package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real browser with the pages of a console. Close it to end it. */
final class Browser implements AutoCloseable {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    /** Limit for a hanging page, not a measure; the limit of the test ends the wait before. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** Kept, because a logger that is not referenced loses its level. Selenium warns about each new version of the browser. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final ChromeDriver driver;
    private final URI site;
    private final List<String> errors = new ArrayList<>();

    private Browser(ChromeDriver driver, URI site) {
        this.driver = driver;
        this.site = site;
    }

    /** Skips the test if the browser is not installed. */
    static void require() {
        assumeTrue(
                Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER),
                "chromium and chromium-driver are not installed");
    }

    /** Starts a browser, with a profile of its own, and opens an address. */
    static Browser open(URI address) {
        SELENIUM.setLevel(Level.SEVERE);
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments(
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--lang=en", "--window-size=1440,900");
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort()
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().scriptTimeout(PATIENCE);
        Browser browser = new Browser(driver, address.resolve("/"));
        driver.get(address.toString());
        return browser;
    }

    /** Makes the pages that are loaded from now on read no view again after a period. */
    void withoutPolls() {
        driver.executeCdpCommand(
                "Page.addScriptToEvaluateOnNewDocument", Map.of("source", "window.setInterval = () => 0"));
    }

    ChromeDriver driver() {
        return driver;
    }

    /** Goes to a screen, and waits until it has read its views. */
    void go(String hash) {
        driver.executeScript("location.hash = arguments[0]", hash);
        await("the screen " + hash, () -> shown("main :is(h1, .login)") && !shown("[aria-busy]"));
    }

    /** Loads the pages again at a screen, as after a new start of the browser. */
    void load(String hash) {
        collectErrors();
        driver.get(site.resolve("icon.svg").toString());
        driver.get(site.resolve("/" + hash).toString());
        await("the screen " + hash, () -> shown("main :is(h1, .login)") && !shown("[aria-busy]"));
    }

    /** Loads a file of the console that is no page. */
    void visit(String path) {
        driver.get(site.resolve("/" + path).toString());
    }

    void size(int width, int height) {
        driver.manage().window().setSize(new Dimension(width, height));
    }

    /** Sets a preference of the pages; it holds after the next load. */
    void prefer(String name, String value) {
        driver.executeScript("localStorage.setItem('ostraka.' + arguments[0], arguments[1])", name, value);
    }

    boolean shown(String css) {
        return !driver.findElements(By.cssSelector(css)).isEmpty();
    }

    String text(String css) {
        return driver.findElement(By.cssSelector(css)).getText();
    }

    /** Waits for a condition about the page, which may be drawn again meanwhile. */
    void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() > end) {
                throw new AssertionError(what + " did not come; the page shows:\n" + text("body"));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (StaleElementReferenceException | NoSuchElementException | JavascriptException e) {
            return false; // drawn again
        }
    }

    void awaitText(String css, String part) {
        await("'" + part + "' in " + css, () -> text(css).contains(part));
    }

    /** Presses the first enabled button with this text below an element, by the keyboard if it is not in the window. */
    void press(String css, String label) {
        await("the button " + label, () -> {
            WebElement button = driver.findElements(By.cssSelector(css + " :is(button, summary)")).stream()
                    .filter(each -> each.getText().strip().equals(label) && each.isEnabled())
                    .findFirst()
                    .orElse(null);
            if (button == null) {
                return false;
            }
            driver.executeScript("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", button);
            return true;
        });
    }

    void type(String css, String text) {
        await(css, () -> {
            WebElement field = driver.findElement(By.cssSelector(css));
            field.clear();
            field.sendKeys(text);
            return text.equals(field.getDomProperty("value")); // on a busy machine, a redrawn page may lose a key
        });
    }

    /** Returns the JSON of a request that the page itself sends, as text; with a body it is a POST. */
    String request(String path, String body) {
        return (String) driver.executeAsyncScript(
                "const done = arguments[arguments.length - 1];"
                        + "fetch(arguments[0], arguments[1] === '' ? {} : {method: 'POST', body: arguments[1],"
                        + " headers: {'Content-Type': 'application/json'}}).then(each => each.text()).then(done, e => done(String(e)))",
                path,
                body);
    }

    /** Returns the findings of axe about the page: rule and element. Two rules of WCAG 2.2 are off by default in axe. */
    @SuppressWarnings("unchecked")
    List<String> accessibilityProblems() {
        driver.executeScript(axe());
        return (List<String>)
                driver.executeAsyncScript(
                        "const done = arguments[arguments.length - 1];"
                                + "axe.run(document, {resultTypes: ['violations'], rules:"
                                + " {'target-size': {enabled: true}, 'label-content-name-mismatch': {enabled: true}}}).then(result => done(result.violations.flatMap(each =>"
                                + " each.nodes.map(node => each.id + ': ' + node.html.slice(0, 200) + ' ' + (node.any[0]?.message ?? '')))), e => done([String(e)]))");
    }

    private static String axe() {
        try (InputStream in = Browser.class.getResourceAsStream("/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of pixels by which the page is wider than the window. */
    long overflow() {
        return (Long) driver.executeScript("return document.documentElement.scrollWidth - window.innerWidth");
    }

    void screenshot(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        Map<?, ?> size = (Map<?, ?>)
                driver.executeScript(
                        "return {width: innerWidth, height: Math.min(2400, Math.max(innerHeight, document.documentElement.scrollHeight))}");
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        size.get("width"),
                        "height",
                        size.get("height"),
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        false));
        Files.write(file, driver.getScreenshotAs(OutputType.BYTES));
        driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    private void collectErrors() {
        driver.manage().logs().get(LogType.BROWSER).getAll().forEach(each -> errors.add(each.getMessage()));
    }

    /** Returns what the browser has complained about, such as a violation of the content security policy. */
    List<String> complaints() {
        collectErrors();
        return errors.stream()
                .filter(each -> each.contains("Security Policy")
                        || each.contains("TrustedHTML")
                        || each.contains("Uncaught")
                        || each.contains("http://") && !each.contains(site.getAuthority())
                        || each.contains("https://"))
                .toList();
    }

    /** Asserts that the pages asked no other server for anything. */
    void assertOwnOriginOnly() {
        Object others = driver.executeScript(
                "return performance.getEntriesByType('resource').map(each => each.name).filter(each => !each.startsWith(location.origin))");
        assertThat((List<?>) others).isEmpty();
    }

    @Override
    public void close() {
        try {
            driver.quit();
        } catch (WebDriverException e) {
            // the browser has ended already
        }
    }
}
