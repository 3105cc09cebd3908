package io.ostraka.cli;

import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows why items are quarantined before they are released. If instances died while they ran an item, the item may end
 * further instances, so its release needs a confirmation.
 */
final class ReleaseCaution {
    private final Invocation call;
    private final Times times;
    private final List<Answer> items;
    private final List<String> lines = new ArrayList<>();

    private ReleaseCaution(Invocation call, List<Answer> items) {
        this.call = call;
        this.times = call.session().times();
        this.items = items;
    }

    /** @param keys keys of the items to release */
    static Caution of(Invocation call, List<String> keys) {
        List<Answer> items = Items.all(call);
        Items.requireKnown(call.require("JOB"), Items.keys(items), keys);
        return new ReleaseCaution(call, items).of(keys);
    }

    private Caution of(List<String> keys) {
        List<Answer> released = items.stream()
                .filter(each -> keys.contains(each.text("item")))
                .filter(each -> each.text("state").equals("QUARANTINED"))
                .toList();
        List<Answer> deadly =
                released.stream().filter(ReleaseCaution::hasKilled).toList();
        released.forEach(each -> {
            lines.add(reason(each));
            if (hasKilled(each)) {
                lines.add(deaths(each));
                lines.add(together(each));
            }
        });
        if (deadly.isEmpty()) {
            return new Caution(lines, Guard.NONE);
        }
        lines.add(next());
        lines.add("Or make the safe choice: leave it quarantined, and tell the others why: "
                + call.command("item", "disable", job(), deadly.get(0).text("item"), Invocation.REASON, "TEXT"));
        lines.add(
                "Mend the cause first. Then release one item at a time, and watch its instance until its run has ended: "
                        + call.command("item", "list", job(), deadly.get(0).text("item"), "--watch"));
        if (keys.size() > 1) {
            lines.add("This command releases " + keys.size()
                    + " items together: if an instance dies, you cannot see which of them has ended it.");
        }
        return new Caution(lines, Guard.JOB);
    }

    /** Describes the risk of a release: the next fire has all its attempts again, so it may end several instances. */
    private String next() {
        Answer details = call.client().get(call.path("jobs", job()));
        String most = FieldTable.effective(details, "maxAttempts");
        String more = most.isEmpty()
                ? "further instances may die, as many as the job's maxAttempts"
                : most.equals("1")
                        ? "1 more instance may die (maxAttempts)"
                        : "up to " + most + " more instances may die (maxAttempts)";
        return "If the cause is not mended, " + more + " with the next fire of each released item,"
                + " and every other run on these instances is lost.";
    }

    private String job() {
        return call.require("JOB");
    }

    /** Returns whether an item is quarantined because instances died while they ran it. */
    private static boolean hasKilled(Answer item) {
        return item.text("state").equals("QUARANTINED")
                && item.object("run").text("outcome").equals("CRASHED");
    }

    private String reason(Answer item) {
        Answer run = item.object("run");
        String error = run.text("error");
        String why = hasKilled(item)
                ? (error.isEmpty() ? "instances died while they ran this item" : error)
                : item.text("failuresInARow") + " runs failed in a row" + (error.isEmpty() ? "" : ", " + error);
        return "item " + item.text("item") + " of job '" + job() + "' is quarantined since "
                + times.both(run.time("endedAt")) + ": " + why;
    }

    private String deaths(Answer item) {
        Answer run = item.object("run");
        return "    the last of these instances, " + run.text("runner") + ", began the item at "
                + run.time("startedAt").map(times::absolute).orElse("an unknown time") + " (attempt "
                + run.text("attempt") + ")";
    }

    /** Names the other quarantined items that the instance that died last was running. */
    private String together(Answer item) {
        String runner = item.object("run").text("runner");
        List<String> others = items.stream()
                .filter(ReleaseCaution::hasKilled)
                .filter(each -> each.object("run").text("runner").equals(runner))
                .map(each -> each.text("item"))
                .filter(each -> !each.equals(item.text("item")))
                .toList();
        return others.isEmpty()
                ? "    no other quarantined item of this job ran on that instance"
                : "    also quarantined with that instance: " + Items.named(others)
                        + ". The item that ends the process and the items that only ran beside it look the same";
    }
}
