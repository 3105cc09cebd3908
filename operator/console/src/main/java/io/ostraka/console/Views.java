package io.ostraka.console;

import static io.ostraka.api.operations.Operation.*;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Problem.Kind;
import io.ostraka.core.tree.ValueJson;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Answers the views. A caller sees only the jobs for which it has a role. */
final class Views {
    private static final int MOST = 1000;
    private static final int PAGE = 100;

    /** Kinds of problems of the namespace whose texts may name any job. */
    private static final Set<Kind> OF_ANY_JOB = EnumSet.of(Kind.INSTANCE_PROBLEM, Kind.HISTORY_LOST);

    /** Text in place of the problem of an instance, which may name any job. */
    private static final String HIDDEN_PROBLEM = "the instance has a problem; a role for all jobs shows it";

    private Views() {}

    /** Returns the routes of all views. */
    static List<Route> routes() {
        return List.of(
                Route.view(NAMESPACE, "", Set.of(), Views::namespace),
                Route.view(JOBS, "jobs", JobPage.PARAMETERS, JobPage::of),
                Route.view(ACTIVITY, "activity", Set.of("job"), Views::activity),
                Route.view(JOB, "jobs/{job}", Set.of(), Views::job),
                Route.view(ITEMS, "jobs/{job}/items", Set.of("item", "limit", "after"), Views::items),
                Route.view(EXPLAIN, "jobs/{job}/items/{item}/explanation", Set.of(), Views::explanation),
                Route.view(RUN, "jobs/{job}/runs/{runId}", Set.of(), Views::run),
                Route.view(BACKFILLS, "backfills", Set.of(), Views::backfills),
                Route.view(ALARMS, "alarms", Set.of("firing"), Views::alarms),
                Route.view(PROBLEMS, "problems", Set.of("job"), Views::problems),
                Route.view(INSTANCES, "instances", Set.of(), Views::instances),
                Route.view(NEXT_FIRES, "jobs/{job}/next-fires", Set.of("count"), Views::nextFires),
                Route.view(FORECAST, "forecast", Set.of("from", "slot", "slots"), Views::forecast),
                Route.view(EXPORT, "settings", Set.of(), Views::export),
                new Route(DIFF, "POST", List.of("settings", "diff"), Set.of(), Views::diff));
    }

    private static Response namespace(Call call) {
        NamespaceDetails details = call.operations().namespace();
        return Response.json(200, ValueJson.write(details)).with("ETag", Version.tag(details.version()));
    }

    private static Response activity(Call call) {
        List<String> jobs = call.parameters().all("job").stream()
                .filter(call::sees)
                .distinct()
                .toList();
        return Call.single("activity", call.visible(call.operations().activity(jobs), each -> each.job()));
    }

    private static Response job(Call call) {
        JobDetails job = call.operations().job(call.parameters().variable("job"));
        JsonObject json = ValueJson.write(job).getAsJsonObject();
        JsonArray fields = new JsonArray();
        job.fields().stream().map(Views::field).forEach(fields::add);
        json.add("fields", fields);
        return Response.json(200, json).with("ETag", Version.tag(job.version()));
    }

    private static JsonElement field(FieldValue value) {
        JsonObject json = new JsonObject();
        json.addProperty("field", value.field());
        JobField<?> field = JobConfiguration.field(value.field()).orElse(null);
        if (field != null) {
            json.add("defined", ValueJson.write(field, value.defined()));
            json.addProperty("overridden", value.overridden());
            json.add("effective", ValueJson.write(field, value.effective()));
        }
        if (value.change() != null) {
            json.add("change", ValueJson.write(value.change()));
        }
        return json;
    }

    private static Response items(Call call) {
        return page("items", items(call, call.parameters().all("item")), ItemDetails::item, call.parameters());
    }

    /**
     * Returns items by key. An item without a record may be new, so it is unknown only if the list of all items lacks it.
     *
     * @throws Problem if the job has none of the items
     */
    private static List<ItemDetails> items(Call call, List<String> keys) {
        String job = call.parameters().variable("job");
        List<ItemDetails> found = call.operations().items(job, keys);
        if (keys.isEmpty() || found.stream().noneMatch(each -> each.state() == ItemDetails.State.UNREADABLE)) {
            return found;
        }
        Set<String> all = call.operations().items(job, List.of()).stream()
                .map(ItemDetails::item)
                .collect(Collectors.toSet());
        List<ItemDetails> known =
                found.stream().filter(each -> all.contains(each.item())).toList();
        if (known.isEmpty()) {
            throw new Problem(Problem.Code.NOT_FOUND, "job '" + job + "' has no item " + String.join(", ", keys));
        }
        return known;
    }

    /** Returns a part of a list that is sorted by key. */
    private static <T> Response page(String name, List<T> sorted, Function<T, String> key, Parameters parameters) {
        int limit = parameters.number("limit", 1, MOST, PAGE);
        String after = parameters.text("after").map(Cursor::key).orElse(null);
        int from = 0;
        if (after != null) {
            while (from < sorted.size() && !key.apply(sorted.get(from)).equals(after)) {
                from++;
            }
            from = Math.min(sorted.size(), from + 1);
        }
        List<T> part = sorted.subList(from, Math.min(sorted.size(), from + limit));
        JsonArray array = new JsonArray();
        part.stream().map(ValueJson::write).forEach(array::add);
        JsonObject json = new JsonObject();
        json.add(name, array);
        json.addProperty("total", sorted.size());
        if (from + part.size() < sorted.size()) {
            json.addProperty("next", Cursor.of(key.apply(part.get(part.size() - 1))));
        }
        return Response.json(200, json);
    }

    private static Response explanation(Call call) {
        items(call, List.of(call.parameters().variable("item")));
        return Call.single(
                "explanation",
                new JsonPrimitive(call.operations()
                        .explain(
                                call.parameters().variable("job"),
                                call.parameters().variable("item"))));
    }

    private static Response run(Call call) {
        String job = call.parameters().variable("job");
        String runId = call.parameters().variable("runId");
        return call.operations()
                .run(job, runId)
                .map(run -> Response.json(200, ValueJson.write(run)))
                .orElseThrow(() -> new Problem(
                        Problem.Code.NOT_FOUND,
                        "run '" + runId + "' of job '" + job
                                + "' is not in ZooKeeper, which keeps a triggered run for an hour after its end; check"
                                + " the id, or look into the history"));
    }

    private static Response backfills(Call call) {
        return Call.single("backfills", call.visible(call.operations().backfills(), BackfillDetails::job));
    }

    private static Response alarms(Call call) {
        boolean firing = call.parameters().flag("firing");
        List<AlarmDetails> alarms = call.operations().alarms().stream()
                .filter(each -> !firing || each.firing())
                .toList();
        return Call.single("alarms", call.visible(alarms, AlarmDetails::job));
    }

    /** Lists the problems, without those that concern or may name a job that the caller may not see. */
    private static Response problems(Call call) {
        List<String> jobs = call.parameters().all("job").stream().distinct().toList();
        List<io.ostraka.api.operations.Problem> problems = jobs.isEmpty()
                ? call.operations().problems(call::sees)
                : jobs.stream()
                        .filter(call::sees)
                        .flatMap(job -> call.operations().problems(job).stream())
                        .toList();
        JsonArray array = new JsonArray();
        problems.stream()
                .filter(each -> call.sees(each.job()) || (each.job() == null && !OF_ANY_JOB.contains(each.kind())))
                .map(ValueJson::write)
                .forEach(array::add);
        return Call.single("problems", array);
    }

    /** Lists the instances, without the jobs that the caller may not see. */
    private static Response instances(Call call) {
        JsonArray array = new JsonArray();
        for (InstanceDetails each : call.operations().instances()) {
            Map<String, Integer> items = new TreeMap<>(each.items());
            items.keySet().removeIf(job -> !call.sees(job));
            array.add(ValueJson.write(new InstanceDetails(
                    each.instance(),
                    each.pid(),
                    each.state(),
                    each.leading(),
                    each.clockAhead(),
                    each.jobs().stream().filter(call::sees).collect(Collectors.toSet()),
                    items,
                    each.problem() == null || call.sees(null) ? each.problem() : HIDDEN_PROBLEM,
                    each.healthGap())));
        }
        return Call.single("instances", array);
    }

    private static Response nextFires(Call call) {
        JsonArray array = new JsonArray();
        call.operations()
                .nextFires(call.parameters().variable("job"), call.parameters().number("count", 1, MOST, 10))
                .forEach(fire -> array.add(fire.toString()));
        return Call.single("fires", array);
    }

    private static Response forecast(Call call) {
        Parameters parameters = call.parameters();
        Instant from = parameters
                .time("from")
                .orElseGet(() -> call.operations().namespace().at());
        Forecast forecast = call.operations()
                .forecast(
                        from,
                        parameters.duration("slot").orElse(Duration.ofMinutes(15)),
                        parameters.number("slots", 1, 1440, 96));
        List<Forecast.Slot> slots = forecast.slots().stream()
                .map(slot -> {
                    Map<String, Integer> fires = new TreeMap<>(slot.fires());
                    fires.keySet().removeIf(job -> !call.sees(job));
                    return new Forecast.Slot(slot.start(), fires, slot.clockChanges());
                })
                .toList();
        Set<String> unpredictable =
                forecast.unpredictable().stream().filter(call::sees).collect(Collectors.toSet());
        return Response.json(200, ValueJson.write(new Forecast(forecast.slot(), slots, unpredictable)));
    }

    private static Response export(Call call) {
        return Response.json(200, JsonParser.parseString(call.operations().export()));
    }

    private static Response diff(Call call) {
        JsonArray array = new JsonArray();
        call.masking()
                .differences(Body.object(call.request()), call.operations())
                .forEach(array::add);
        return Call.single("differences", array);
    }
}
