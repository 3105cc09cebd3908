package io.ostraka.core.run.script;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ScriptFailedException;
import io.ostraka.api.ScriptJob;
import io.ostraka.api.ShardingContext;
import io.ostraka.core.run.Excerpt;
import io.ostraka.core.run.RunValues;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs an item by a program, from its start until nothing that it has started is left. */
public final class ScriptJobExecutor implements JobItemExecutor<ScriptJob> {
    private static final Logger log = LoggerFactory.getLogger(ScriptJobExecutor.class);
    /** What a program is given of this process's environment whatever its job says; Windows writes it in its own ways. */
    private static final Set<String> ALWAYS_PASSED = Set.of("PATH", "SYSTEMROOT");

    private static final String MARK = ScriptJob.VARIABLE_PREFIX + "PROCESS_MARK";
    /** How long those who are told to end may take; less than a run has that is cancelled by a shutdown. */
    private static final Duration GRACE = Duration.ofSeconds(2);
    /** How long the last output may take once nobody is left who writes, as far as is known. */
    private static final Duration LAST_OUTPUT = Duration.ofSeconds(1);

    private final boolean allowed;
    private final Duration grace;

    /**
     * @param allowed whether script jobs may be registered
     */
    public ScriptJobExecutor(boolean allowed) {
        this(allowed, GRACE);
    }

    /**
     * @param grace how long those who are told to end may take until they are killed
     */
    ScriptJobExecutor(boolean allowed, Duration grace) {
        this.allowed = allowed;
        this.grace = grace;
    }

    @Override
    public Class<ScriptJob> type() {
        return ScriptJob.class;
    }

    @Override
    public void validate(ScriptJob job, JobConfiguration configuration) {
        if (!allowed) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "job",
                    job,
                    "a script only if the registry's builder says allowScriptJobs()");
        }
    }

    @Override
    public void execute(ScriptJob job, ShardingContext context) throws IOException {
        Map<String, String> secrets = secrets(job);
        RunValues values = new RunValues(context);
        String mark = UUID.randomUUID().toString();
        ProcessBuilder builder = new ProcessBuilder(job.command()).redirectErrorStream(true);
        job.workingDirectory().ifPresent(directory -> builder.directory(directory.toFile()));
        Map<String, String> environment = builder.environment();
        environment
                .keySet()
                .removeIf(name -> !ALWAYS_PASSED.contains(name.toUpperCase(Locale.ROOT))
                        && !job.passedEnvironment().contains(name));
        environment.putAll(job.environment());
        environment.putAll(secrets);
        environment.putAll(values.environment());
        environment.put(MARK, mark);

        Excerpt excerpt = new Excerpt(secrets.values());
        Process process = builder.start();
        OutputTail output = new OutputTail(process.getInputStream(), excerpt.kept());
        boolean toEnd = false;
        int others;
        try {
            start("ostraka-script-output", output::read);
            start("ostraka-script-input", () -> write(values.json(), process.getOutputStream()));
            process.waitFor();
        } catch (InterruptedException e) { // the run is to end, and does so by this method's exception
            toEnd = true;
        } finally { // even if there was no thread to be had
            others = new ProcessTree(process.toHandle(), MARK + "=" + mark).end(grace);
            process.onExit().join(); // the item is kept until the program has ended, even if that can't be forced
        }
        report(job, context, toEnd, others);
        if (toEnd || process.exitValue() != 0) {
            throw new ScriptFailedException(
                    job
                            + (toEnd
                                    ? " was ended, as its run was to end; it had exit code "
                                    : " ended with exit code ")
                            + process.exitValue(),
                    process.exitValue(),
                    excerpt.end(output.bytes(LAST_OUTPUT)));
        }
    }

    private static Map<String, String> secrets(ScriptJob job) {
        Map<String, String> secrets = new LinkedHashMap<>();
        job.secretEnvironment().forEach((name, secret) -> {
            String value = new String(secret.read());
            if (value.indexOf('\0') >= 0) { // the JDK would name it in its exception
                throw new IllegalStateException(
                        "The secret for the variable " + name + " has a character 0, which no variable can have");
            }
            secrets.put(name, value);
        });
        return secrets;
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true); // whoever escaped may hold the other end of a pipe for as long as it likes
        thread.start();
    }

    private static void write(String text, OutputStream input) {
        try (input) {
            input.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // the program doesn't read it, and has closed its side or ended
        }
    }

    private static void report(ScriptJob job, ShardingContext context, boolean toEnd, int others) {
        if (others < 0) {
            log.warn(
                    "job '{}' item {}: processes that {} has started can't be ended; end them by hand",
                    context.jobName(),
                    context.shardingItem(),
                    job);
        } else if (others > 0 && !toEnd) {
            log.info(
                    "job '{}' item {}: {} processes were ended that {} had left behind",
                    context.jobName(),
                    context.shardingItem(),
                    others,
                    job);
        }
    }
}
