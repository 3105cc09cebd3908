package io.ostraka.spring;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobHealth;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Problem;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.lang.Nullable;

/**
 * Actuator endpoint {@code ostraka}. It shows this instance and its jobs, and the source of each setting of a job. It
 * also executes commands, if {@code management.endpoint.ostraka.access=unrestricted} is set; by default it only reads.
 *
 * <p>Parameters use Spring's own annotation for optional parameters, because Spring Boot 3 supports no other.
 */
@Endpoint(id = "ostraka", defaultAccess = Access.READ_ONLY)
public final class OstrakaEndpoint {
    private static final int NEXT_FIRES = 5;

    /** Fields with parameters, which may be secret. */
    private static final Set<String> SECRETS = Set.of("jobParameter", "shardingItemParameters");

    /** Beginning of the name of a field that has a parameter of a run. All values of a body are texts. */
    static final String PARAMETER = "parameters.";

    private static final String PARAMETERS = PARAMETER + "<name>";

    /** Fields of the body of each command, besides those of every command. */
    private static final Map<String, Set<String>> FIELDS = new TreeMap<>(Map.of(
            "pause", Set.of("until"),
            "resume", Set.of(),
            "trigger", Set.of("items", PARAMETERS, "delay"),
            "rerun", Set.of("runId", "items", PARAMETERS),
            "stop", Set.of("runId")));

    private static final Set<String> FIELDS_OF_ALL = Set.of("command", "actor", "reason");

    private final OstrakaLifecycle lifecycle;
    private final Operations operations;
    private final boolean masksParameters;

    /** @param masksParameters true to hide the values of job parameters, as the console does */
    OstrakaEndpoint(OstrakaLifecycle lifecycle, Operations operations, boolean masksParameters) {
        this.lifecycle = lifecycle;
        this.operations = operations;
        this.masksParameters = masksParameters;
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
     * @param problems situations of the job that need a person, most urgent first
     * @param settings values in force and their sources, by field
     * @param nextFires next fires of the schedule; empty while the job is paused or the namespace is frozen without an end
     */
    public record JobView(
            JobSummary summary, List<Problem> problems, Map<String, SettingView> settings, List<Instant> nextFires) {}

    /**
     * The namespace.
     *
     * @param problems situations of the namespace and of all jobs that need a person, most urgent first
     */
    public record NamespaceView(List<Problem> problems) {}

    /**
     * An item of a job.
     *
     * @param item state of the item
     * @param explanation reason why the item runs or does not run, in sentences
     */
    public record ItemView(ItemDetails item, String explanation) {}

    /**
     * A refused request.
     *
     * @param refused reason of the refusal, with the accepted values
     */
    public record RefusalView(String refused) {}

    /**
     * Result of a command.
     *
     * @param result kind of the result
     * @param text result in a sentence
     */
    public record ResultView(String result, String text) {}

    /**
     * A setting of a job.
     *
     * @param value value in force
     * @param source source of the value: an operator's override, a property with its file and line, an annotation, or
     *     the default of the library
     */
    public record SettingView(String value, String source) {}

    /**
     * Returns this instance and its jobs, which needs no connection to ZooKeeper; or the problems of the namespace.
     *
     * @param problems true for the problems of the namespace
     */
    @ReadOperation
    public WebEndpointResponse<?> instance(@Nullable Boolean problems) {
        return Boolean.TRUE.equals(problems)
                ? answer("", () -> new NamespaceView(operations.problems()))
                : new WebEndpointResponse<>(view());
    }

    InstanceView view() {
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

    /**
     * Returns a job of the namespace with its settings.
     *
     * @param job name of the job
     */
    @ReadOperation
    public WebEndpointResponse<?> job(@Selector String job) {
        return answer(job, () -> {
            JobDetails details = operations.job(job);
            return new JobView(
                    details.summary(),
                    operations.problems(job),
                    settings(details),
                    operations.nextFires(job, NEXT_FIRES));
        });
    }

    /**
     * Returns an item of a job, and the reason why it runs or does not run.
     *
     * @param job name of the job
     * @param item key of the item
     */
    @ReadOperation
    public WebEndpointResponse<?> item(@Selector String job, @Selector String item) {
        return answer(job, () -> {
            String explanation = operations.explain(job, item);
            return operations.items(job, List.of(item)).stream()
                    .map(details -> new ItemView(details, explanation))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("job '" + job + "' has no item " + item));
        });
    }

    /** Answers a request. If the request is refused, the response contains the reason. */
    private WebEndpointResponse<?> answer(String job, Supplier<?> request) {
        if (!view().connected()) {
            return refused(
                    "this instance is not connected to ZooKeeper", WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
        try {
            return new WebEndpointResponse<>(request.get());
        } catch (TooManyTriggersException e) {
            return refused(e.getMessage(), WebEndpointResponse.STATUS_TOO_MANY_REQUESTS);
        } catch (IllegalArgumentException | JobConfigurationException e) {
            return refused(e.getMessage(), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (CoordinationException e) {
            return refused(e.getMessage(), status(job));
        }
    }

    /**
     * Returns the HTTP status for a request that failed: because the job does not exist, because its state does not
     * permit the request, or because the connection was lost.
     */
    private int status(String job) {
        try {
            return operations.jobs().stream().anyMatch(each -> each.job().equals(job))
                    ? WebEndpointResponse.STATUS_BAD_REQUEST
                    : WebEndpointResponse.STATUS_NOT_FOUND;
        } catch (CoordinationException | IllegalStateException e) {
            return WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE;
        }
    }

    private static WebEndpointResponse<?> refused(@Nullable String text, int status) {
        return new WebEndpointResponse<>(new RefusalView(String.valueOf(text)), status);
    }

    private Map<String, SettingView> settings(JobDetails details) {
        EffectiveConfiguration own =
                lifecycle.configurations().get(details.summary().job());
        Map<String, SettingView> settings = new LinkedHashMap<>();
        for (FieldValue field : details.fields()) {
            settings.put(field.field(), new SettingView(shown(field), source(field, own, details.registeredBy())));
        }
        return settings;
    }

    private String shown(FieldValue field) {
        boolean hidden = masksParameters && SECRETS.contains(field.field()) && field.effective() != null;
        return hidden ? "***" : String.valueOf(field.effective());
    }

    private static @Nullable Object value(String field, JobConfiguration configuration) {
        return JobConfiguration.field(field).map(configuration::value).orElse(null);
    }

    private static String source(FieldValue field, @Nullable EffectiveConfiguration own, String registeredBy) {
        if (field.overridden()) {
            return "OVERRIDE" + (field.change() == null ? "" : " " + field.change());
        }
        if (own == null || !Objects.equals(field.defined(), value(field.field(), own.configuration()))) {
            return "DEFINITION of " + (registeredBy.isEmpty() ? "another instance" : "instance " + registeredBy);
        }
        return String.valueOf(own.sources().getOrDefault(field.field(), EffectiveConfiguration.Source.LIBRARY));
    }

    /**
     * Executes a command for a job. Commands that need more parameters are in {@link Operations}.
     *
     * @param job name of the job
     * @param command {@code pause}, {@code resume}, {@code trigger}, {@code rerun} or {@code stop}; null is refused
     * @param actor person or system that gives the command, at most 128 characters; not used if the caller has
     *     authenticated
     * @param reason reason, which is stored in the node of the job
     * @param until end of a pause; null for no end
     * @param items keys of the items to trigger or to run again, separated by commas; null for all
     * @param parameters map with the texts that every item of a triggered run receives, or that a repeated run changes;
     *     null for none. In the body, each parameter is a field of its own, such as {@code parameters.day}
     * @param delay time until a triggered run; null for none
     * @param runId run to repeat or to stop
     */
    @WriteOperation
    public WebEndpointResponse<?> command(
            SecurityContext security,
            @Selector String job,
            @Nullable String command,
            @Nullable String actor,
            @Nullable String reason,
            @Nullable Instant until,
            @Nullable Set<String> items,
            @Nullable Object parameters,
            @Nullable Duration delay,
            @Nullable String runId) {
        return answer(job, () -> {
            Command wanted = command(
                    command == null ? "" : command,
                    job,
                    until,
                    items == null ? Set.of() : items,
                    texts(parameters),
                    delay,
                    runId);
            CommandOptions options = CommandOptions.by(actor(security, actor)).because(reason == null ? "" : reason);
            CommandResult result = operations.execute(wanted, options);
            return new ResultView(result.getClass().getSimpleName(), result.text());
        });
    }

    private static Command command(
            String name,
            String job,
            @Nullable Instant until,
            Set<String> items,
            Map<String, String> parameters,
            @Nullable Duration delay,
            @Nullable String runId) {
        return switch (name) {
            case "pause" -> new Command.Pause(job, until);
            case "resume" -> new Command.Resume(job, true);
            case "trigger" -> new Command.Trigger(job, items, parameters, delay == null ? Duration.ZERO : delay);
            case "rerun" -> new Command.RerunItems(job, required(runId), items, parameters);
            case "stop" -> new Command.StopFire(job, null, required(runId));
            default ->
                throw new IllegalArgumentException(
                        "command is '" + name + "'; accepted: pause, resume, trigger, rerun or stop");
        };
    }

    /** Returns the parameters of a run. The values may be secret, so no message contains them. */
    private static Map<String, String> texts(@Nullable Object parameters) {
        if (parameters == null) {
            return Map.of();
        }
        if (!(parameters instanceof Map<?, ?> values)) {
            throw new IllegalArgumentException(
                    "parameters is not a map; accepted: a field for each parameter, such as \"parameters.day\"");
        }
        Map<String, String> texts = new TreeMap<>();
        values.forEach((name, value) -> {
            if (!(value instanceof String text)) {
                throw new IllegalArgumentException(PARAMETER + name + " is not a text; accepted: a text");
            }
            texts.put(String.valueOf(name), text);
        });
        return texts;
    }

    /**
     * Returns the answer to a command with a field that it does not have, or with a delay without a unit; null if the
     * fields are accepted. Spring would ignore the field, or take the delay for milliseconds, and the command would do
     * something else than its sender expects.
     *
     * @param fields fields of the body, and the job of the path
     */
    static @Nullable Object refusedField(Map<String, Object> fields) {
        Set<String> known = FIELDS.get(String.valueOf(fields.get("command")));
        Set<String> accepted = new TreeSet<>(FIELDS_OF_ALL);
        (known == null ? FIELDS.values() : Set.of(known)).forEach(accepted::addAll);
        Object refusal = fields.entrySet().stream()
                .filter(field -> field.getValue() != null && !field.getKey().equals("job"))
                .map(Map.Entry::getKey)
                .filter(name ->
                        !accepted.contains(name.startsWith(PARAMETER) || name.equals("parameters") ? PARAMETERS : name))
                .sorted()
                .findFirst()
                .map(name -> refused(
                        "'" + name + "' is not a field of " + (known == null ? "a command" : fields.get("command"))
                                + "; accepted: " + accepted,
                        WebEndpointResponse.STATUS_BAD_REQUEST))
                .orElse(null);
        return refusal == null ? refusedDelay(fields.get("delay")) : refusal;
    }

    private static @Nullable Object refusedDelay(@Nullable Object delay) {
        return delay == null || !DurationUnits.isMissing(delay.toString())
                ? null
                : refused(
                        "delay is '" + delay + "'; accepted: " + DurationUnits.ACCEPTED,
                        WebEndpointResponse.STATUS_BAD_REQUEST);
    }

    private static String actor(SecurityContext security, @Nullable String actor) {
        Principal principal = security.getPrincipal();
        if (principal != null) {
            return principal.getName();
        }
        if (actor == null) {
            throw new IllegalArgumentException(
                    "actor is missing; accepted: the name of the person or system that gives the command");
        }
        return actor;
    }

    private static String required(@Nullable String runId) {
        if (runId == null) {
            throw new IllegalArgumentException(
                    "runId is missing; accepted: the id of the run, which the views and logs show");
        }
        return runId;
    }
}
