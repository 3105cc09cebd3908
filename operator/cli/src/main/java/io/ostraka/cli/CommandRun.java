package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operation;
import io.ostraka.cli.terminal.Palette;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Executes a command for one or several targets, and reports the result of each. */
final class CommandRun {
    private static final String HIDDEN = "\"***\"";
    private static final String ITEM = "item";
    private static final String INSTANCE = "instance";

    private final Invocation call;
    private final boolean dryRun;
    private final JsonObject body;

    private CommandRun(Invocation call) {
        this.call = call;
        dryRun = call.flag(Invocation.DRY_RUN);
        body = body(call);
    }

    /**
     * The result for one target.
     *
     * @param target name of the target
     * @param exitCode exit code
     * @param text description for people
     * @param json answer or problem document
     * @param value the answer; null if the command failed
     */
    record Result(String target, ExitCode exitCode, String text, JsonElement json, Answers.@Nullable Result value) {}

    static ExitCode run(Invocation call) {
        return new CommandRun(call).run();
    }

    private ExitCode run() {
        List<Map<String, String>> targets = targets();
        if (targets.size() != 1 && (call.flag(Invocation.REQUEST_ID) || call.flag(Invocation.IF_VERSION))) {
            throw Failure.usage(
                    "--request-id and --if-version belong to a single target, but the command has " + targets.size());
        }
        List<Result> results = new ArrayList<>();
        for (Map<String, String> target : targets) {
            results.add(execute(target));
        }
        ExitCode code = results.size() == 1 ? single(results.get(0)) : several(results);
        boolean changed = results.stream().anyMatch(each -> each.exitCode() == ExitCode.OK) && !dryRun;
        if (changed
                && call.verb().isLasting()
                && !call.flag(Invocation.REASON)
                && call.output().isForPeople()) {
            call.terminal()
                    .say("no reason was stored; " + Invocation.REASON
                            + " 'text' stores one, which the next person on call reads");
        }
        return code;
    }

    /** Returns the targets: the jobs, or the items of the job, or one target without a name. */
    private List<Map<String, String>> targets() {
        Map<String, String> common = new TreeMap<>();
        call.verb().parameters().stream()
                .filter(each -> each.member().equals(Parameter.JOB) && each.kind() != Kind.EACH)
                .forEach(each -> common.put(each.member(), call.require(each.name())));
        Optional<Parameter> each = call.verb().each();
        List<String> names = each.map(this::names).orElse(List.of(""));
        if (!dryRun) {
            new Confirmation(call, names).require();
        } else {
            Cautions.of(call, names)
                    .lines()
                    .forEach(call.output().isForPeople() ? call.terminal()::print : call.terminal()::say);
        }
        if (call.verb().operation() == Operation.EVICT_INSTANCE) {
            common.put(INSTANCE, evicted());
        }
        List<Map<String, String>> targets = new ArrayList<>();
        for (String name : names) {
            Map<String, String> target = new TreeMap<>(common);
            each.ifPresent(parameter -> target.put(parameter.member(), name));
            targets.add(target);
        }
        return targets;
    }

    /**
     * Returns the id of the instance to evict. If the outcome is unknown, the user may repeat the command. A name could
     * then mean the next session of the same process, which must not be evicted; an id cannot.
     */
    private String evicted() {
        String name = call.require("INSTANCE");
        List<String> ids =
                Instances.named(call).stream().map(each -> each.instance().id()).toList();
        return ids.size() == 1 ? ids.get(0) : name;
    }

    /** Returns the names that the user has given or selected. Shows a selection before the command acts. */
    private List<String> names(Parameter each) {
        List<String> given = call.list(each.name()).stream().distinct().toList();
        List<Client.Parameter> query = call.verb().isForManyJobs() ? Selection.query(call) : List.of();
        if (given.isEmpty() == query.isEmpty()) {
            throw Failure.usage(
                    given.isEmpty()
                            ? "no job is named; give names, or a selection with --search, --state or --problems"
                            : "names and a selection are both given; accepted: one of them");
        }
        if (!given.isEmpty()) {
            return given;
        }
        List<JobSummary> selected = Selection.read(call, query).value().jobs();
        Table table = Lists.jobTable(call.session(), selected);
        if (table.rows().isEmpty()) {
            throw new Failure(ExitCode.NOT_FOUND, "the selection contains no job; nothing was changed");
        }
        Table.Lines lines = table.lines(0, false, Palette.PLAIN);
        lines.lines().forEach(call.terminal()::say);
        return selected.stream().map(JobSummary::job).toList();
    }

    private static JsonObject body(Invocation call) {
        JsonObject body = new JsonObject();
        for (Parameter each : call.verb().parameters()) {
            Object value = call.value(each.name());
            if (value != null
                    && !each.member().isEmpty()
                    && !each.member().equals(Parameter.JOB)
                    && each.kind() != Kind.EACH) {
                JsonElement json = each.kind().json(value);
                if (each.kind().isMap() && json.toString().contains(HIDDEN)) {
                    throw Failure.usage(
                            each.name() + " has ***, which a console with mask-parameters shows in place of a"
                                    + " value; accepted: the value itself");
                }
                body.add(each.member(), json);
            }
        }
        call.text(Invocation.REASON).ifPresent(reason -> body.addProperty("reason", reason));
        return body;
    }

    private Result execute(Map<String, String> target) {
        String requestId = call.text(Invocation.REQUEST_ID)
                .orElseGet(() -> UUID.randomUUID().toString());
        JsonObject whole = body.deepCopy();
        whole.addProperty("requestId", requestId);
        for (String member : List.of(ITEM, INSTANCE)) {
            if (target.containsKey(member)) {
                whole.addProperty(member, target.get(member));
            }
        }
        String name = target.getOrDefault(ITEM, target.getOrDefault(Parameter.JOB, ""));
        try {
            Answer<Answers.Result> answer =
                    call.client().command(path(target), whole, dryRun, (Long) call.value(Invocation.IF_VERSION));
            return new Result(
                    name, ExitCode.OK, String.join("; ", lines(answer.value())), answer.json(), answer.value());
        } catch (Failure failure) {
            String job = target.getOrDefault(Parameter.JOB, "");
            Failure e = Mistyped.explained(call, job.isEmpty() ? List.of() : List.of(job), failure);
            String text = e.exitCode() == ExitCode.OUTCOME_UNKNOWN ? unknown(e, target, requestId) : e.text();
            JsonElement json = e.problem().isJsonNull() ? problem(e, requestId) : e.problem();
            return new Result(name, e.exitCode(), text, json, null);
        }
    }

    private String path(Map<String, String> target) {
        Operation operation = call.verb().operation();
        boolean ofJob = operation != null
                && operation.command() != null
                && Command.OfJob.class.isAssignableFrom(operation.command());
        String route = call.verb().route();
        return ofJob ? call.path("jobs", String.valueOf(target.get(Parameter.JOB)), route) : call.path(route);
    }

    /** Returns the text of the answer, or the effects that a dry run predicts. */
    private static List<String> lines(Answers.Result answer) {
        return answer.lines().stream().map(Times::inSeconds).toList();
    }

    /** Returns the lines that a command with one target prints for people. */
    private static List<String> printed(Answers.Result answer) {
        List<String> lines = lines(answer);
        if (answer.effects() == null) {
            return lines;
        }
        List<String> printed = new ArrayList<>();
        printed.add("Dry run: nothing was changed. "
                + (lines.isEmpty() ? "The command would change nothing." : "The result would be:"));
        lines.forEach(each -> printed.add("  - " + each));
        return printed;
    }

    private String unknown(Failure e, Map<String, String> target, String requestId) {
        return "the outcome is unknown, because " + e.text() + ". The request id is " + requestId
                + ". This command line applies the command only once in total: "
                + call.repeated(target, requestId);
    }

    private static JsonObject problem(Failure e, String requestId) {
        JsonObject json = new JsonObject();
        json.addProperty("code", e.exitCode().name());
        json.addProperty("detail", e.text());
        json.addProperty("requestId", requestId);
        return json;
    }

    private ExitCode single(Result result) {
        Answers.Result answer = result.value();
        if (answer == null) {
            throw new Failure(result.exitCode(), result.text(), result.json());
        }
        String created = Objects.requireNonNullElse(answer.created(), "");
        call.output().object(result.json(), created.isEmpty() ? result.target() : created, printed(answer));
        if (call.verb().operation() == Operation.TRIGGER
                && !created.isEmpty()
                && call.output().isForPeople()) {
            call.terminal().say("to wait for its end: " + call.command("run wait", List.of(result.target(), created)));
        }
        return ExitCode.OK;
    }

    private ExitCode several(List<Result> results) {
        JsonArray json = new JsonArray();
        Table table = Table.of("NAME", "RESULT", "TEXT");
        for (Result each : results) {
            JsonObject document = new JsonObject();
            document.add("target", new JsonPrimitive(each.target()));
            document.addProperty("exitCode", each.exitCode().code());
            document.add("answer", each.json());
            json.add(document);
            boolean ok = each.exitCode() == ExitCode.OK;
            String succeeded = dryRun ? "would succeed" : "ok";
            table.add(each.target(), ok ? succeeded : each.exitCode().name(), ok ? each.text() : "see below");
        }
        call.output().list(json, table);
        results.stream().filter(each -> each.exitCode() != ExitCode.OK).forEach(each -> call.terminal()
                .say(each.target() + ": " + each.text()));
        return ExitCode.worst(results.stream().map(Result::exitCode));
    }
}
