package io.ostraka.cli;

import com.google.gson.JsonObject;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import java.util.ArrayList;
import java.util.List;

/** Shows, before an instance is evicted, its runs and the instances to which its items will move. */
final class EvictionCaution {
    private static final int MOST_RUNS = 20;
    private static final int A_PAGE_OF_ACTIVITY = 100;

    private final Invocation call;
    private final Times times;
    private final List<String> lines = new ArrayList<>();

    private EvictionCaution(Invocation call) {
        this.call = call;
        this.times = call.session().times();
    }

    static Caution of(Invocation call) {
        EvictionCaution caution = new EvictionCaution(call);
        Instances.named(call).forEach(caution::instance);
        return new Caution(caution.lines, Guard.NONE); // the verb itself already demands the strongest confirmation
    }

    private void instance(InstanceDetails instance) {
        String id = instance.instance().id();
        List<String> runs = runs(instance, id);
        lines.add("instance " + id + " runs "
                + (runs.isEmpty() ? "no item now" : runs.size() + (runs.size() == 1 ? " item" : " items") + " now:"));
        runs.stream().limit(MOST_RUNS).forEach(each -> lines.add("    " + each));
        if (runs.size() > MOST_RUNS) {
            lines.add("    and " + (runs.size() - MOST_RUNS) + " more");
        }
        if (!runs.isEmpty()) {
            lines.add("    With failover, each of these items starts again on another instance. Code that hangs for a"
                    + " reason of its own hangs there, too.");
        }
        lines.add(
                "    Its process does not end: it comes back with a new session, and code that hangs in it still runs. Only"
                        + " a restart of the process ends such code.");
        if (!call.flag(Invocation.DRY_RUN)) { // a dry run itself reports the placement
            lines.add("Expected placement of its items, as after a drain:");
            placement(id).forEach(each -> lines.add("    " + each));
        }
    }

    private List<String> runs(InstanceDetails instance, String id) {
        List<String> runs = new ArrayList<>();
        for (JobActivity activity : activity(List.copyOf(instance.jobs()))) {
            if (activity.running() > 0) {
                for (ItemDetails item : Items.all(call, activity.job())) {
                    if (item.state() == ItemDetails.State.RUNNING
                            && item.run() != null
                            && item.run().runner().equals(id)) {
                        runs.add(run(activity.job(), item, item.run()));
                    }
                }
            }
        }
        return runs;
    }

    /** Reads the activity of jobs, in parts, because the path of a request is limited. */
    private List<JobActivity> activity(List<String> jobs) {
        List<JobActivity> activity = new ArrayList<>();
        for (int from = 0; from < jobs.size(); from += A_PAGE_OF_ACTIVITY) {
            Client.Parameter[] query = jobs.subList(from, Math.min(jobs.size(), from + A_PAGE_OF_ACTIVITY)).stream()
                    .map(job -> new Client.Parameter("job", job))
                    .toArray(Client.Parameter[]::new);
            activity.addAll(call.client()
                    .get(Answers.Activities.class, call.path("activity"), query)
                    .value()
                    .activity());
        }
        return activity;
    }

    private String run(String job, ItemDetails item, ItemDetails.Run run) {
        return "item " + item.item() + " of job '" + job + "', run " + run.runId() + ", since "
                + times.both(run.startedAt())
                + (item.expectedRunTime() == null ? "" : ", usually " + Times.span(item.expectedRunTime()));
    }

    /** Returns the moves of the items, from a dry run of a drain. Leaves out its first effect, the drain itself. */
    private List<String> placement(String id) {
        JsonObject drain = new JsonObject();
        drain.addProperty("instance", id);
        List<String> effects = call.client()
                .command(call.path("drain-instance"), drain, true, null)
                .value()
                .lines();
        return effects.size() > 1 ? effects.subList(1, effects.size()) : List.of("it has no items");
    }
}
