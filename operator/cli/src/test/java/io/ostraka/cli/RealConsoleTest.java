package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.console.server.ConsoleMain;
import io.ostraka.history.History;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every verb over HTTP, with a token, against the console's own process, and compares its output with the output
 * of the direct way to ZooKeeper.
 */
@Tag("cluster")
@Timeout(180)
class RealConsoleTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    static Path directory;

    private static EmbeddedZooKeeper zooKeeper;
    private static ZooKeeperRegistry application;
    private static History history;
    private static Process console;
    private static String address = "";
    private static Path token;

    private final Set<String> used = new TreeSet<>();

    @BeforeAll
    static void start() throws Exception {
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
        history = History.newBuilder(source(), directory.resolve("spool")).build();
        application = ZooKeeperRegistry.newBuilder(zooKeeper.connectString(), "orders")
                .eventSubscriber(history)
                .connect();
        for (String job : List.of("settle", "report")) {
            application
                    .schedule(
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder(job, 2)
                                    .schedule(Schedule.cron("0 0 3 1 1 ?", ZoneId.of("UTC")))
                                    .build())
                    .scheduled()
                    .toCompletableFuture()
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        startConsole();
    }

    /** Both processes use the database. */
    private static String url() {
        return "jdbc:h2:file:" + directory.resolve("history") + ";AUTO_SERVER=TRUE;LOCK_TIMEOUT=10000";
    }

    private static DataSource source() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url());
        source.setUser("sa");
        source.setPassword("");
        return source;
    }

    private static void startConsole() throws IOException {
        Ran created = run(List.of("token", "create", "test"));
        List<String> lines = created.out().lines().toList();
        token = Files.writeString(directory.resolve("token"), lines.get(0) + "\n");
        Path settings = Files.write(
                directory.resolve("console.properties"),
                List.of(
                        "zookeeper.servers=" + zooKeeper.connectString(),
                        "listen.port=0",
                        "history.url=" + url(),
                        "history.user=sa",
                        "history.spool=" + directory.resolve("console-spool"),
                        lines.get(1),
                        "tokens.test.grants=ADMIN",
                        "tokens.test.expires=2999-01-01T00:00:00Z"));
        Path errors = directory.resolve("stderr.txt");
        console = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ConsoleMain.class.getName(),
                        settings.toString())
                .redirectError(errors.toFile())
                .start();
        String line = new BufferedReader(console.inputReader(StandardCharsets.UTF_8)).readLine();
        assertThat(line).as("errors: %s", Files.readString(errors)).startsWith("The console listens at http://");
        address = line.substring(line.indexOf("http"));
    }

    @AfterAll
    static void stop() {
        if (console != null) {
            console.destroyForcibly().onExit().join();
        }
        application.close();
        history.close();
        zooKeeper.close();
    }

    private static Ran run(List<String> arguments) {
        return Ran.of(directory, arguments);
    }

    private Ran http(String... arguments) {
        used.add(verb(arguments));
        List<String> line =
                new ArrayList<>(List.of("--server", address, "--token-file", token.toString(), "-n", "orders"));
        line.addAll(List.of(arguments));
        return run(line);
    }

    private static Ran direct(String... arguments) {
        List<String> line =
                new ArrayList<>(List.of("--zookeeper", zooKeeper.connectString(), "--as", "test", "-n", "orders"));
        line.addAll(List.of(arguments));
        return run(line);
    }

    /** Returns the verb with which the arguments begin. */
    private static String verb(String... arguments) {
        String line = String.join(" ", arguments) + " ";
        return Verbs.all().stream()
                .map(Verb::path)
                .filter(each -> line.startsWith(each + " "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no verb in " + line));
    }

    /**
     * Runs the same line both ways until the outputs agree, because a console keeps a list for up to five seconds, and
     * the leader works between two calls. Only for lines that change nothing.
     */
    private Ran agreed(String... arguments) {
        long end = System.nanoTime() + LIMIT.toNanos();
        Ran over;
        Ran direct;
        do {
            over = http(arguments);
            direct = direct(arguments);
        } while (!over.agreesWith(direct) && System.nanoTime() - end < 0 && Ran.pause());
        String line = String.join(" ", arguments);
        assertThat(over.comparable()).as(line + ": " + over.err()).isEqualTo(direct.comparable());
        assertThat(over.message()).as(line).isEqualTo(direct.message());
        assertThat(over.code()).as(line).isEqualTo(direct.code());
        return over;
    }

    private void same(String... arguments) {
        Ran view = agreed(arguments);
        assertThat(view.code()).as(view.err()).isZero();
        assertThat(view.out() + view.err()).as(String.join(" ", arguments)).isNotBlank();
    }

    /** Runs a command both ways with --dry-run, and then over HTTP. */
    private Ran change(int expected, String... arguments) {
        String[] dry = Arrays.copyOf(arguments, arguments.length + 1);
        dry[arguments.length] = "--dry-run";
        agreed(dry);
        Ran done = http(arguments);
        assertThat(done.code())
                .as(String.join(" ", arguments) + ": " + done.err())
                .isEqualTo(expected);
        return done;
    }

    private void views(Path settings) {
        same("namespace", "list");
        same("namespace", "get");
        same("status");
        same("job", "list");
        same("job", "list", "-o", "wide");
        same("job", "get", "settle");
        same("job", "get", "settle", "-o", "wide");
        same("job", "activity", "settle", "report");
        same("job", "next", "settle", "--count", "3");
        same("item", "list", "settle", "-o", "wide");
        same("item", "explain", "settle", "1");
        same("instance", "list", "-o", "wide");
        same("backfill", "list");
        same("alarm", "list");
        same("forecast", "--slots", "2");
        same("namespace", "export");
        same("namespace", "diff", settings.toString());
        for (String format : List.of("json", "yaml", "name")) {
            same("job", "get", "settle", "-o", format);
            same("instance", "list", "-o", format);
        }
    }

    private void jobs() {
        change(0, "job", "pause", "settle", "--reason", "upgrade", "--until", "2h");
        assertThat(http("job", "resume", "settle").code())
                .as("the token's own pause")
                .isZero();
        change(0, "job", "pause", "settle", "report", "--yes");
        change(0, "job", "resume", "settle", "report", "--yes");
        change(0, "job", "skip", "settle", "--to", "2026-01-01T00:00Z");
        change(0, "job", "override", "set", "settle", "timeout=5m", "--reason", "slow bank");
        change(0, "job", "override", "remove", "settle", "timeout");
        change(0, "job", "silence", "settle", "--kind", "LATE");
        change(0, "job", "unsilence", "settle");
        change(0, "item", "disable", "settle", "1");
        change(0, "item", "enable", "settle", "1");
        change(ExitCode.CONFLICT.code(), "item", "release", "settle", "1");
        change(ExitCode.CONFLICT.code(), "item", "set-back-cursor", "settle", "1");
    }

    private void runs() {
        change(0, "job", "trigger", "settle", "--request-id", "r-1");
        assertThat(http("run", "wait", "settle", "r-1", "--within", "1m").code())
                .isZero();
        same("run", "get", "settle", "r-1");
        change(0, "run", "rerun", "settle", "r-1", "--item", "1");
        change(0, "job", "trigger", "settle", "--delay", "10h", "--request-id", "r-2");
        assertThat(http("run", "wait", "settle", "r-2", "--within", "1s").code())
                .isEqualTo(ExitCode.OUTCOME_UNKNOWN.code());
        change(0, "run", "cancel", "settle", "r-2");
        change(ExitCode.USAGE.code(), "run", "stop", "settle", "no-such-run");
        change(0, "backfill", "start", "settle", "--from", "2020-01-01T00:00Z", "--to", "2021-01-02T00:00Z");
        http("backfill", "stop", "settle"); // the backfill may have ended
        http("backfill", "resume", "settle");
    }

    private void instances() {
        String id = http("instance", "list", "-o", "name").out().strip();
        change(0, "instance", "disable", id, "--job", "report");
        change(0, "instance", "enable", id, "--job", "report");
        change(0, "instance", "drain", id, "--reason", "new disk");
        change(0, "instance", "undrain", id);
        Ran evicted = change(0, "instance", "evict", id, "--yes");
        assertThat(evicted.err()).contains("runs no item now");
    }

    private void namespace(Path settings) {
        change(0, "namespace", "freeze", "--yes", "--reason", "migration");
        change(0, "namespace", "thaw");
        change(0, "namespace", "apply", settings.toString(), "--yes");
        change(0, "job", "remove", "report", "--yes");
        change(ExitCode.CONFLICT.code(), "job", "purge", "settle", "--yes");
    }

    /** Only a console reads the history. */
    private void history() {
        eventually("SUCCEEDED", "history", "runs", "settle");
        String run = http("history", "runs", "settle", "-o", "name", "--limit", "1")
                .out()
                .strip();
        assertThat(run).isNotEmpty().doesNotContain("\n");
        eventually("SUCCEEDED", "history", "run", "settle", run);
        eventually("PLAN_CHANGED", "history", "events", "--job", "settle");
        eventually("LEADER_CHANGED", "history", "events", "-o", "json");
        eventually("PAUSE", "history", "audit");
        for (String verb : List.of("failures", "skipped settle", "account settle --from -1h")) {
            Ran ran = http(("history " + verb).split(" "));
            assertThat(ran.code()).as(verb + ": " + ran.err()).isZero();
        }
        assertThat(http("history", "run", "settle", "unknown").code()).isEqualTo(ExitCode.NOT_FOUND.code());
        Ran direct = direct("history", "runs", "settle");
        assertThat(direct.code()).isEqualTo(ExitCode.USAGE.code());
        assertThat(direct.err()).contains("give --server URL");
    }

    /** Repeats a view until its output contains a text. */
    private void eventually(String text, String... arguments) {
        long end = System.nanoTime() + LIMIT.toNanos();
        Ran ran;
        do {
            ran = http(arguments);
        } while (!ran.out().contains(text) && System.nanoTime() - end < 0 && Ran.pause());
        assertThat(ran.out()).as(String.join(" ", arguments) + ": " + ran.err()).contains(text);
    }

    @Tag("slow")
    @Test
    void everyVerbHasTheSameOutputOverHttpAndDirectly() throws IOException {
        Path settings = Files.writeString(
                directory.resolve("settings.json"),
                direct("namespace", "export").out());
        views(settings);
        jobs();
        runs();
        history();
        namespace(settings);
        instances();
        assertThat(http("doctor").out()).contains("it agrees with the clock of the console");

        Set<String> all = Verbs.all().stream()
                .map(Verb::path)
                .filter(each -> !each.startsWith("context ") && !each.startsWith("token "))
                .filter(each -> !each.equals("completion"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).isEqualTo(all);
    }

    @Test
    void requestWithoutAValidTokenIsNotAllowed() throws IOException {
        Path wrong = Files.writeString(directory.resolve("wrong"), "ostraka_" + "x".repeat(43));
        Ran ran = run(List.of("--server", address, "--token-file", wrong.toString(), "-n", "orders", "job", "list"));

        assertThat(ran.code()).isEqualTo(ExitCode.NOT_ALLOWED.code());
        assertThat(ran.out()).isEmpty();
    }
}
