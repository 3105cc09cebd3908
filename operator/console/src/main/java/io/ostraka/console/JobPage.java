package io.ostraka.console;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.JobHealth;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.core.tree.ValueJson;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Answers a part of the list of all jobs, filtered and sorted. */
final class JobPage {
    /** Names of the query parameters. */
    static final Set<String> PARAMETERS = Set.of("search", "state", "problems", "sort", "limit", "after");

    /** Time after all fires, for jobs without a next fire. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private static final int MOST = 1000;
    private static final int PAGE = 100;

    private static final List<String> SORTS = List.of("items", "name", "nextFire", "problems", "state");

    private JobPage() {}

    static Response of(Call call) {
        Parameters parameters = call.parameters();
        String search = parameters.text("search").orElse("").toLowerCase(Locale.ROOT);
        Set<JobState> states = EnumSet.noneOf(JobState.class);
        for (String state : parameters.all("state")) {
            states.add(state(state));
        }
        boolean problems = parameters.flag("problems");
        String sort = parameters.text("sort").orElse("name");
        if (!SORTS.contains(sort)) {
            throw Parameters.invalid("sort", sort, "one of " + SORTS);
        }
        String after = parameters.text("after").map(Cursor::key).orElse("");
        int limit = parameters.number("limit", 1, MOST, PAGE);
        List<JobSummary> found = call.operations().jobs().stream()
                .filter(job -> call.sees(job.job()))
                .filter(job -> job.job().toLowerCase(Locale.ROOT).contains(search))
                .filter(job -> states.isEmpty() || states.contains(job.state()))
                .filter(job -> !problems || problems(job) > 0)
                .toList();
        List<JobSummary> rest = found.stream()
                .sorted(Comparator.comparing((JobSummary job) -> key(sort, job)))
                .filter(job -> key(sort, job).compareTo(after) > 0)
                .toList();
        JsonArray page = new JsonArray();
        rest.stream().limit(limit).map(ValueJson::write).forEach(page::add);
        JsonObject json = new JsonObject();
        json.add("jobs", page);
        json.addProperty("total", found.size());
        if (rest.size() > limit) {
            JobSummary last = rest.get(limit - 1);
            json.addProperty("next", Cursor.of(key(sort, last)));
        }
        return Response.json(200, json);
    }

    /** Returns the sort key of a job. The list is in the natural order of the keys; no two jobs have the same key. */
    private static String key(String sort, JobSummary job) {
        String first =
                switch (sort) {
                    case "items" -> String.format(Locale.ROOT, "%010d", Integer.MAX_VALUE - job.items());
                    case "nextFire" -> String.valueOf(job.nextFire() == null ? LATEST : job.nextFire());
                    case "problems" -> String.format(Locale.ROOT, "%010d", Integer.MAX_VALUE - problems(job));
                    case "state" ->
                        String.format(Locale.ROOT, "%02d", job.state().ordinal());
                    default -> "";
                };
        return first + "/" + job.job();
    }

    /**
     * Returns the number of problems of a job. The wrong clock of an instance is not counted, because the view of the
     * instance shows it.
     */
    private static int problems(JobSummary job) {
        return (int) job.health().stream()
                .filter(each -> each.reason().kind() != JobHealth.Kind.CLOCK_AHEAD)
                .count();
    }

    private static JobState state(String name) {
        try {
            return JobState.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw Parameters.invalid("state", name, "one of " + Arrays.toString(JobState.values()));
        }
    }
}
