package io.ostraka.types;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ScriptFailedException;
import io.ostraka.api.ScriptJob;
import io.ostraka.api.ShardingContext;
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

/**
 * Runs an item of a {@link ScriptJob} as a program. When the program has ended or the run is stopped, ends all
 * processes that the program has started.
 */
final class ScriptJobExecutor implements JobItemExecutor<ScriptJob> {
    private static final Logger log = LoggerFactory.getLogger(ScriptJobExecutor.class);
    /** Variables that every program inherits. Compared in upper case, because their case varies on Windows. */
    private static final Set<String> ALWAYS_PASSED = Set.of("PATH", "SYSTEMROOT");

    private static final String MARK = ScriptJob.VARIABLE_PREFIX + "PROCESS_MARK";
    /**
     * Time between terminating processes and killing them. Shorter than the time that a shutdown leaves for stopped
     * runs.
     */
    private static final Duration GRACE = Duration.ofSeconds(2);
    /** Time to wait for remaining output after all known processes have ended. */
    private static final Duration LAST_OUTPUT = Duration.ofSeconds(1);

    private final boolean allowed;
    private final Duration grace;

    /** @param allowed true if script jobs may be registered */
    ScriptJobExecutor(boolean allowed) {
        this(allowed, GRACE);
    }

    /**
     * @param allowed true if script jobs may be registered
     * @param grace time between terminating processes and killing them
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
                    "a script only after allowScriptJobs() of the registry's builder, or with Spring after"
                            + " ostraka.allow.script-jobs=true");
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
        } catch (InterruptedException e) { // the run was stopped; the exception below reports that
            toEnd = true;
        } finally { // also if no thread could be started
            others = new ProcessTree(process.toHandle(), MARK + "=" + mark).end(grace);
            process.onExit().join(); // the item stays claimed until the program has ended, even if it cannot be killed
        }
        report(job, context, toEnd, others);
        if (toEnd || process.exitValue() != 0) {
            throw new ScriptFailedException(
                    job
                            + (toEnd
                                    ? " was ended because its run was stopped; it had exit code "
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
            if (value.indexOf('\0') >= 0) { // the JDK's exception would show the secret
                throw new IllegalStateException(
                        "The secret for the variable " + name + " has a character 0, which a variable cannot have");
            }
            secrets.put(name, value);
        });
        return secrets;
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true); // a process that escaped may keep the pipe open
        thread.start();
    }

    private static void write(String text, OutputStream input) {
        try (input) {
            input.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // the program does not read its input, or has ended
        }
    }

    private static void report(ScriptJob job, ShardingContext context, boolean toEnd, int others) {
        if (others < 0) {
            log.warn(
                    "job '{}' item {}: some processes that {} started could not be ended; end them manually",
                    context.jobName(),
                    context.shardingItem(),
                    job);
        } else if (others > 0 && !toEnd) {
            log.info(
                    "job '{}' item {}: ended {} processes that {} left behind",
                    context.jobName(),
                    context.shardingItem(),
                    others,
                    job);
        }
    }
}
