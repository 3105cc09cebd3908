package io.ostraka.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.ScriptFailedException;
import io.ostraka.api.ScriptJob;
import io.ostraka.api.ShardingContext;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests real programs: their input, the output that is kept, and the end of all their processes. */
@Tag("cluster")
@Tag("smoke")
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ScriptJobExecutorTest {
    private static final JobConfiguration JOB =
            JobConfiguration.newBuilder("scripted", 2).jobParameter("all").build();

    private final ScriptJobExecutor executor = new ScriptJobExecutor(true, Duration.ofSeconds(30));

    @TempDir
    Path directory;

    private ScriptJob.Builder shell(String script) {
        return ScriptJob.command("sh", "-c", script).workingDirectory(directory);
    }

    private void run(ScriptJob job) throws IOException {
        executor.execute(job, TestContext.of(JOB));
    }

    private ScriptFailedException failureOf(ScriptJob job) {
        return catchThrowableOfType(() -> run(job), ScriptFailedException.class);
    }

    /** Runs a script until it has created the file {@code ready}, and then interrupts its run. */
    private Throwable interrupted(ScriptJob job) throws InterruptedException {
        return interrupted(executor, job);
    }

    private Throwable interrupted(ScriptJobExecutor executor, ScriptJob job) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        ShardingContext context = TestContext.of(JOB);
        Thread runner = new Thread(() -> thrown.set(catchThrowable(() -> executor.execute(job, context))));
        runner.start();
        Eventually.holds("the script", () -> Files.exists(directory.resolve("ready")));
        runner.interrupt();
        runner.join();
        return thrown.get();
    }

    private List<Long> living(String pids) throws IOException {
        List<String> lines = Files.readAllLines(directory.resolve(pids));
        assertThat(lines).isNotEmpty();
        return lines.stream()
                .map(Long::parseLong)
                .filter(pid -> ProcessHandle.of(pid).filter(ProcessTree::lives).isPresent())
                .toList();
    }

    @Test
    void passesContextInEnvironmentAndInput() throws IOException {
        ShardingContext context = TestContext.of(JOB, Map.of("month", "2026-01"));
        executor.execute(shell("env > env; cat > input").build(), context);

        assertThat(Files.readAllLines(directory.resolve("env")))
                .contains("OSTRAKA_JOB_NAME=scripted", "OSTRAKA_FENCING_TOKEN=7", "OSTRAKA_SHARDING_ITEM=0");
        assertThat(directory.resolve("input"))
                .content()
                .contains("\"fencingToken\":\"7\"", "\"triggerParameters\":{\"month\":\"2026-01\"}");
    }

    @Test
    void passesNoOtherVariablesOfThisProcess() throws IOException {
        run(shell("env > env")
                .passEnvironment("HOME", "NOT_SET_ANYWHERE")
                .environment("OWN", "value")
                .environment("TOKEN", () -> "secret".toCharArray())
                .build());

        assertThat(Files.readAllLines(directory.resolve("env")).stream()
                        .map(line -> line.replaceFirst("=.*", ""))
                        .filter(name -> !name.startsWith("OSTRAKA_"))
                        .collect(Collectors.toSet()))
                .contains("PATH", "HOME", "OWN", "TOKEN")
                .isSubsetOf(
                        "PATH", "HOME", "OWN", "TOKEN", "PWD", "OLDPWD", "SHLVL", "_"); // the shell sets the last ones
    }

    @Test
    void nonzeroExitCodeFailsWithOutput() {
        ScriptFailedException failure =
                failureOf(shell("echo counting; echo out of stock >&2; exit 3").build());

        assertThat(failure.exitCode()).isEqualTo(3);
        assertThat(failure.output()).isEqualTo("counting\nout of stock\n");
        assertThat(failure)
                .hasMessage(
                        "script 'sh' ended with exit code 3; the end of its output:\n    counting\n    out of stock");
    }

    @Test
    void outputCannotForgeALineOfTheLog() {
        ScriptFailedException failure =
                failureOf(shell("printf 'a\\n2026-01-01 ERROR stolen\\302\\205\\342\\200\\256b\\n'; exit 1")
                        .build());

        assertThat(failure.output()).isEqualTo("a\n2026-01-01 ERROR stolenb\n");
        assertThat(failure.getMessage().lines().skip(1)).isNotEmpty().allMatch(line -> line.startsWith("    "));
    }

    @Test
    void noShellInterpretsArguments() {
        ScriptFailedException failure =
                failureOf(ScriptJob.command("sh", "-c", "echo \"$1\"; exit 1", "sh", "$(echo evil); *")
                        .build());

        assertThat(failure.output()).isEqualTo("$(echo evil); *\n");
    }

    /**
     * One script writes more than a pipe can hold. The other script gets an input of that size, and does not read it.
     */
    @Test
    void outputAndInputDoNotBlockScript() {
        ShardingContext context = TestContext.of(JOB, Map.of("long", "\u0001".repeat(16_000)));
        ScriptJob job = shell("head -c 20000000 /dev/zero | tr '\\0' x; echo the end; exit 1")
                .build();
        ScriptFailedException failure =
                catchThrowableOfType(() -> executor.execute(job, context), ScriptFailedException.class);

        assertThat(failure.output()).hasSize(4096).startsWith("xxx").endsWith("xthe end\n");
    }

    @Test
    void removesSecretThatScriptWrites() {
        ScriptFailedException failure = failureOf(shell("echo \"logged in with $TOKEN\"; exit 1")
                .environment("TOKEN", () -> "hunter2".toCharArray())
                .build());

        assertThat(failure.toString()).contains("logged in with [secret]").doesNotContain("hunter2");
    }

    @Test
    void invalidSecretIsNotShown() {
        ScriptJob job = shell("true")
                .environment("TOKEN", () -> "hunter\0002".toCharArray())
                .build();

        assertThatThrownBy(() -> run(job)).hasMessageContaining("TOKEN").hasMessageNotContaining("hunter");
    }

    @Test
    void endsScriptWithEndlessOutput() throws Exception {
        assertThat(interrupted(shell("echo y; echo y; touch ready; yes").build()))
                .isInstanceOf(ScriptFailedException.class)
                .hasMessageContaining("because its run was stopped")
                .hasMessageEndingWith("    y\n    y");
    }

    @Test
    void stoppedScriptMayCleanUp() throws Exception {
        ScriptFailedException failure = (ScriptFailedException)
                interrupted(shell("trap 'echo tidied up; exit 7' TERM; sleep 1000 & touch ready; wait")
                        .build());

        assertThat(failure.exitCode()).isEqualTo(7);
        assertThat(failure.output()).contains("tidied up");
    }

    /**
     * The script starts a child, a grandchild whose parent has ended, and a process in its own session. All of them
     * ignore SIGTERM.
     */
    @Test
    void stopEndsAllProcessesOfScript() throws Exception {
        ScriptJobExecutor impatient = new ScriptJobExecutor(true, Duration.ofMillis(100));
        Throwable failure = interrupted(
                impatient,
                shell(
                                """
                        trap '' TERM
                        echo $$ > pids
                        sleep 1000 & echo $! >> pids
                        (sleep 1001 & echo $! >> pids)
                        (setsid sh -c 'echo $$ >> pids; touch ready; exec sleep 1002' &)
                        while :; do sleep 1003; done
                        """)
                        .build());

        assertThat(failure).isInstanceOf(ScriptFailedException.class).hasMessageContaining("exit code 137");
        assertThat(Files.readAllLines(directory.resolve("pids"))).hasSize(4);
        assertThat(living("pids")).isEmpty();
    }

    /** After the run, another instance may have the item, so no process may still work for it. */
    @Test
    void endsProcessesThatScriptLeftBehind() throws IOException {
        run(shell("(sleep 1000 & echo $! > pids); exit 0").build());

        assertThat(living("pids")).isEmpty();
    }

    /**
     * While a process that the script left behind is starting its program, Linux shows no environment for it. Here, a
     * directory of the test takes the place of {@code /proc}, so that this moment lasts until the scan waits.
     */
    @Test
    void findsProcessThatIsStartingItsProgram() throws Exception {
        try (RunningProgram left = Program.of("sleep", "1000").start()) {
            Path process = Files.createDirectory(directory.resolve(Long.toString(left.pid())));
            Files.writeString(process.resolve("stat"), left.pid() + " (sh) R" + " 1".repeat(47) + " 0 0");
            Path environment = Files.createFile(process.resolve("environ"));
            RunningProgram ended = Program.of("true").start();
            ended.exitCode();

            FutureTask<Integer> others =
                    new FutureTask<>(() -> new ProcessTree(ended.handle(), "MARK=x", directory, Integer.MAX_VALUE)
                            .end(Duration.ofSeconds(30)));
            Thread scan = new Thread(others);
            scan.start();
            Eventually.holds("the scan", () -> others.isDone() || scan.getState() == Thread.State.WAITING);
            Files.writeString(environment, "A=b\0MARK=x\0");

            assertThat(others.get()).isEqualTo(1);
            assertThat(left.exitCode()).isEqualTo(143);
        }
    }

    @Test
    void reportsMissingProgram() {
        assertThatThrownBy(() -> run(ScriptJob.command("/no/such/program").build()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/no/such/program");
    }

    @Test
    void refusesScriptsUnlessAllowed() {
        ScriptJob job = ScriptJob.command("settle.sh", "--token=hunter2").build();
        executor.validate(job, JOB);

        assertThatThrownBy(() -> new ScriptJobExecutor(false).validate(job, JOB))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("scripted", "settle.sh", "allowScriptJobs()", "ostraka.allow.script-jobs")
                .hasMessageNotContaining("hunter2");
    }
}
