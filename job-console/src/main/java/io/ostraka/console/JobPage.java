package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.core.tree.ValueJson;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Answers a part of the list of all jobs, filtered and sorted. */
final class JobPage {
    /** Names of the query parameters. */
    static final Set<String> PARAMETERS = Set.of("search", "state", "problems", "sort", "limit", "after");

    private static final int MOST = 1000;
    private static final int PAGE = 100;

    /** Keys by which the list is sorted. Each key is a text whose natural order is the order of the list. */
    private static final Map<String, Function<JobSummary, String>> SORTS = Map.of(
            "name", job -> "",
            "state", job -> "%02d".formatted(job.state().ordinal()),
            "nextFire", job -> String.valueOf(job.nextFire() == null ? Instant.MAX : job.nextFire()),
            "items", job -> "%010d".formatted(Integer.MAX_VALUE - job.items()),
            "problems", job -> "%05d".formatted(99_999 - Math.min(99_999, job.health().size())));

    private JobPage() {}

    static Response of(Call call) {
        Parameters parameters = call.parameters();
        String search = parameters.text("search").orElse("").toLowerCase(Locale.ROOT);
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (String state : parameters.all("state")) {
            states.add(state(state));
        }
        boolean problems = parameters.flag("problems");
        var sort = parameters
                .parsed("sort", "one of " + SORTS.keySet().stream().sorted().toList(), name -> {
                    if (!SORTS.containsKey(name)) {
                        throw new IllegalArgumentException();
                    }
                    return SORTS.get(name);
                })
                .orElse(SORTS.get("name"));
        String after = parameters.text("after").map(Cursor::key).orElse("");
        int limit = parameters.number("limit", 1, MOST, PAGE);
        List<JobSummary> found = call.operations().jobs().stream()
                .filter(job -> call.sees(job.job()))
                .filter(job -> job.job().toLowerCase(Locale.ROOT).contains(search))
                .filter(job -> states.isEmpty() || states.contains(job.state()))
                .filter(job -> !problems || !job.health().isEmpty())
                .toList();
        List<JobSummary> rest = found.stream()
                .sorted(Comparator.comparing((JobSummary job) -> key(sort.apply(job), job)))
                .filter(job -> key(sort.apply(job), job).compareTo(after) > 0)
                .toList();
        JsonArray page = new JsonArray();
        rest.stream().limit(limit).map(ValueJson::write).forEach(page::add);
        JsonObject json = new JsonObject();
        json.add("jobs", page);
        json.addProperty("total", found.size());
        if (rest.size() > limit) {
            JobSummary last = rest.get(limit - 1);
            json.addProperty("next", Cursor.of(key(sort.apply(last), last)));
        }
        return Response.json(200, json);
    }

    private static String key(String sort, JobSummary job) {
        return sort + "/" + job.job();
    }

    private static JobState state(String name) {
        try {
            return JobState.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw Parameters.invalid("state", name, "one of " + Arrays.toString(JobState.values()));
        }
    }
}
