package io.ostraka.spring;

import io.ostraka.api.Health;
import io.ostraka.api.JobHealth;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Actuator endpoint {@code ostraka}: this instance with its jobs, one job with the source of each setting, and commands.
 * Commands need {@code management.endpoint.ostraka.access=unrestricted}; by default the endpoint only reads.
 */
@Endpoint(id = "ostraka", defaultAccess = Access.READ_ONLY)
public final class OstrakaEndpoint {
    private static final int NEXT_FIRES = 5;

    private final OstrakaLifecycle lifecycle;
    private final Operations operations;

    OstrakaEndpoint(OstrakaLifecycle lifecycle, Operations operations) {
        this.lifecycle = lifecycle;
        this.operations = operations;
    }

    /**
     * This instance.
     *
     * @param id id of the instance; null before the first connection
     * @param state state of the instance; null if the application hosts no jobs
     * @param connected whether the instance is connected to ZooKeeper
     * @param problem problem of the instance; null if there is none
     * @param jobs jobs that the instance hosts, by name
     */
    public record InstanceView(
            @Nullable String id,
            @Nullable String state,
            boolean connected,
            @Nullable String problem,
            Map<String, HostedView> jobs) {}

    /**
     * A job of this instance.
     *
     * @param status status of the job
     * @param reasons reasons why the job does not run as configured
     */
    public record HostedView(String status, List<String> reasons) {}

    /**
     * A job of the namespace.
     *
     * @param summary state of the job
     * @param settings values in force and their sources, by field
     * @param nextFires next fires of the schedule
     */
    public record JobView(JobSummary summary, Map<String, SettingView> settings, List<Instant> nextFires) {}

    /**
     * A setting of a job.
     *
     * @param value value in force
     * @param source source of the value: an operator's override, a property with its file and line, an annotation, or
     *     the default of the library
     */
    public record SettingView(String value, String source) {}

    /** Returns this instance and its jobs. Needs no connection to ZooKeeper. */
    @ReadOperation
    public InstanceView instance() {
        return lifecycle
                .registry()
                .map(registry -> view(registry.health()))
                .orElse(new InstanceView(null, null, false, null, Map.of()));
    }

    private static InstanceView view(Health health) {
        Map<String, HostedView> jobs = new TreeMap<>();
        health.jobs().forEach((name, job) -> jobs.put(name, view(job)));
        return new InstanceView(
                health.instanceId(), health.state().toString(), health.connected(), health.problem(), jobs);
    }

    private static HostedView view(JobHealth job) {
        return new HostedView(
                job.status().toString(),
                job.reasons().stream().map(Object::toString).toList());
    }

    /** Returns a job of the namespace with its settings. */
    @ReadOperation
    public JobView job(@Selector String job) {
        JobDetails details = operations.job(job);
        return new JobView(details.summary(), settings(details), operations.nextFires(job, NEXT_FIRES));
    }

    private Map<String, SettingView> settings(JobDetails details) {
        EffectiveConfiguration own =
                lifecycle.configurations().get(details.summary().job());
        Map<String, SettingView> settings = new LinkedHashMap<>();
        for (FieldValue field : details.fields()) {
            settings.put(field.field(), new SettingView(String.valueOf(field.effective()), source(field, own)));
        }
        return settings;
    }

    private static String source(FieldValue field, @Nullable EffectiveConfiguration own) {
        if (field.overridden()) {
            return "OVERRIDE" + (field.change() == null ? "" : " " + field.change());
        }
        if (own == null) {
            return "DEFINITION of another application or instance";
        }
        return String.valueOf(own.sources().getOrDefault(field.field(), EffectiveConfiguration.Source.LIBRARY));
    }

    /**
     * Pauses, resumes or triggers a job.
     *
     * @param command {@code pause}, {@code resume} or {@code trigger}
     * @param actor person or system that gives the command, at most 128 characters
     * @param reason reason, which the job's node keeps
     * @return text of the result
     */
    @WriteOperation
    public Map<String, String> command(@Selector String job, String command, String actor, @Nullable String reason) {
        Command wanted =
                switch (command) {
                    case "pause" -> new Command.Pause(job, null);
                    case "resume" -> new Command.Resume(job, true);
                    case "trigger" -> new Command.Trigger(job, Set.of(), Map.of(), Duration.ZERO);
                    default ->
                        throw new IllegalArgumentException(
                                "command is '" + command + "'; accepted: pause, resume or trigger");
                };
        CommandResult result =
                operations.execute(wanted, CommandOptions.by(actor).because(reason == null ? "" : reason));
        return Map.of("result", result.getClass().getSimpleName(), "text", result.text());
    }
}
