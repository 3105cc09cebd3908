package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures how soon a real browser shows on the map that a worker was killed: the time from the end of the instance's
 * node to the first page that shows the worker as gone, or its items elsewhere. Not part of the build: {@code mvn -pl
 * examples/playground -am test -Dtest=KillOnTheMap -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Tag("cluster")
@Tag("browser")
@Timeout(600)
class KillOnTheMap {
    private static final int KILLS = 10;
    private static final int SESSION_MILLIS = 10_000;
    private static final String WORKER = "worker-1";
    private static final String INSTANCES = "/playground/instances";
    private static final String CELLS = "[data-instance=" + WORKER + "]:not(.gone) .cell";

    private static final String OBSERVE =
            """
            window.gone = undefined;
            const observer = new MutationObserver(() => {
              if (document.querySelector(arguments[0]) === null) {
                window.gone = Date.now();
                observer.disconnect();
              }
            });
            observer.observe(document.body, {subtree: true, childList: true, attributes: true});""";

    @TempDir
    Path directory;

    @Test
    void measure() throws Exception {
        Browser.require();
        try (PlaygroundProcess playground = PlaygroundProcess.start(directory);
                Browser browser = Browser.open(playground.link());
                ZooKeeper zooKeeper = new ZooKeeper(servers(), SESSION_MILLIS, event -> {})) {
            for (int i = 1; i <= KILLS; i++) {
                browser.go("#/playground/jobs/build-search-index");
                browser.await("the worker's items", () -> browser.shown(CELLS));
                browser.driver().executeScript(OBSERVE.replace("arguments[0]", "'" + CELLS + "'"));
                String instance = zooKeeper.getChildren(INSTANCES, false).stream()
                        .filter(each -> each.startsWith(WORKER + "@"))
                        .findFirst()
                        .orElseThrow();
                CompletableFuture<Long> ended = new CompletableFuture<>();
                zooKeeper.exists(INSTANCES + "/" + instance, event -> {
                    if (event.getType() == EventType.NodeDeleted) {
                        ended.complete(System.currentTimeMillis());
                    }
                });
                assertThat(browser.request("/api/v1/playground/kill", "{\"worker\":\"" + WORKER + "\"}"))
                        .contains("DEAD");
                long end = ended.get();
                browser.await("the map", () -> browser.driver().executeScript("return window.gone") != null);
                long shown = ((Number) browser.driver().executeScript("return window.gone")).longValue();
                System.out.printf("kill %d is on the map %d ms after the node has gone%n", i, shown - end);
                browser.await("all items elsewhere", () -> !browser.shown(".lane.gone"));
                browser.go("#/playground/instances");
                browser.press(".playground", "Start");
                browser.await("the worker", () -> browser.shown(".cards [data-instance=" + WORKER + "]"));
            }
        }
    }

    /** Returns the address of the playground's ZooKeeper, which is in the settings of its console. */
    private String servers() throws IOException {
        Path settings;
        try (Stream<Path> files = Files.walk(directory)) {
            settings = files.filter(each -> each.endsWith("console.properties"))
                    .findFirst()
                    .orElseThrow();
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(settings)) {
            properties.load(reader);
        }
        return properties.getProperty("zookeeper.servers");
    }
}
