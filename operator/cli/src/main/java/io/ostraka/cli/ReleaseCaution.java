package io.ostraka.cli;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.cli.terminal.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Shows why items are quarantined before they are released. If instances died while they ran an item, the item may end
 * further instances, so its release needs a confirmation.
 */
final class ReleaseCaution {
    private final Invocation call;
    private final Times times;
    private final List<ItemDetails> items;
    private final List<String> lines = new ArrayList<>();

    private ReleaseCaution(Invocation call, List<ItemDetails> items) {
        this.call = call;
        this.times = call.session().times();
        this.items = items;
    }

    /** @param keys keys of the items to release */
    static Caution of(Invocation call, List<String> keys) {
        List<ItemDetails> items = Items.all(call, call.require("JOB"));
        Items.requireKnown(call.require("JOB"), Items.keys(items), keys);
        return new ReleaseCaution(call, items).of(keys);
    }

    private Caution of(List<String> keys) {
        List<ItemDetails> released = items.stream()
                .filter(each -> keys.contains(each.item()))
                .filter(each -> each.state() == ItemDetails.State.QUARANTINED)
                .toList();
        List<ItemDetails> deadly =
                released.stream().filter(ReleaseCaution::hasKilled).toList();
        released.forEach(each -> {
            lines.add(reason(each));
            if (each.run() != null && hasKilled(each)) {
                lines.add(deaths(each.run()));
                lines.add(together(each, each.run().runner()));
            }
        });
        if (deadly.isEmpty()) {
            return new Caution(lines, Guard.NONE);
        }
        lines.add(next());
        lines.add("Or make the safe choice: leave it quarantined, and tell the others why: "
                + call.command("item disable", List.of(job(), deadly.get(0).item()), Invocation.REASON, "TEXT"));
        lines.add(
                "Mend the cause first. Then release one item at a time, and watch its instance until its run has ended: "
                        + call.command("item list", List.of(job(), deadly.get(0).item()), "--watch"));
        if (keys.size() > 1) {
            lines.add("This command releases " + keys.size()
                    + " items together: if an instance dies, you cannot see which of them has ended it.");
        }
        return new Caution(lines, Guard.JOB);
    }

    /** Describes the risk of a release: the next fire has all its attempts again, so it may end several instances. */
    private String next() {
        String most = FieldTable.effective(call.job(job()), "maxAttempts");
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
    private static boolean hasKilled(ItemDetails item) {
        return item.state() == ItemDetails.State.QUARANTINED
                && item.run() != null
                && item.run().outcome() == ItemOutcome.CRASHED;
    }

    private String reason(ItemDetails item) {
        Optional<ItemDetails.Run> run = Optional.ofNullable(item.run());
        String error = run.map(ItemDetails.Run::error).orElse("");
        String why = hasKilled(item)
                ? (error.isEmpty() ? "instances died while they ran this item" : error)
                : item.failuresInARow() + " runs failed in a row" + (error.isEmpty() ? "" : ", " + error);
        return "item " + item.item() + " of job '" + job() + "' is quarantined since "
                + times.both(run.map(ItemDetails.Run::endedAt).orElse(null)) + ": " + why;
    }

    private String deaths(ItemDetails.Run run) {
        return "    the last of these instances, " + run.runner() + ", began the item at "
                + times.absolute(run.startedAt()) + " (attempt " + run.attempt() + ")";
    }

    /** Names the other quarantined items that the instance that died last was running. */
    private String together(ItemDetails item, String runner) {
        List<String> others = items.stream()
                .filter(ReleaseCaution::hasKilled)
                .filter(each -> each.run() != null && each.run().runner().equals(runner))
                .map(ItemDetails::item)
                .filter(each -> !each.equals(item.item()))
                .toList();
        return others.isEmpty()
                ? "    no other quarantined item of this job ran on that instance"
                : "    also quarantined with that instance: " + Items.named(others)
                        + ". The item that ends the process and the items that only ran beside it look the same";
    }
}
