package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A selection of jobs by their text, state and problems. */
final class Selection {
    private static final Set<String> KEYS = Set.of("search", "state", "problems");

    private Selection() {}

    /** Returns the parameters of the query; empty if nothing was selected. */
    static List<Client.Parameter> query(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>();
        call.text("--search").ifPresent(text -> query.add(new Client.Parameter("search", text)));
        call.list("--state").forEach(state -> query.add(new Client.Parameter("state", state)));
        if (call.flag("--problems")) {
            query.add(new Client.Parameter("problems", "true"));
        }
        for (Map.Entry<?, ?> each : call.map("--selector").entrySet()) {
            String key = each.getKey().toString();
            if (!KEYS.contains(key)) {
                throw Failure.usage("--selector has '" + key + "'; accepted: search=TEXT, state=STATE, problems=true");
            }
            query.add(new Client.Parameter(key, each.getValue().toString()));
        }
        return query;
    }

    /** Reads the selected jobs. A wrong clock of an instance does not count as a problem of its jobs. */
    static Answer read(Invocation call, List<Client.Parameter> query) {
        Answer answer = call.client().pages(call.path("jobs"), "jobs", query);
        boolean problems = query.stream()
                .anyMatch(each -> each.name().equals("problems") && each.value().equals("true"));
        List<Answer> jobs = answer.list("jobs");
        List<Answer> kept = jobs.stream()
                .filter(job -> job.list("health").isEmpty()
                        || job.list("health").stream().anyMatch(each -> !Overview.isOfInstance(each)))
                .toList();
        if (!problems || kept.size() == jobs.size()) {
            return answer;
        }
        JsonObject json = answer.json().deepCopy();
        JsonArray array = new JsonArray();
        kept.forEach(each -> array.add(each.json()));
        json.add("jobs", array);
        json.addProperty("total", kept.size());
        return new Answer(json);
    }
}
