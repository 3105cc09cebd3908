package io.ostraka.cli;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.operations.Operation;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Shows the pause, the override, the freeze or the drain that a command ends or replaces. If another person has set it,
 * the command needs a confirmation, because that person may still need it.
 */
final class ChangeCaution {
    private final Invocation call;
    private final List<String> lines = new ArrayList<>();
    private Guard guard = Guard.NONE;

    private ChangeCaution(Invocation call) {
        this.call = call;
    }

    /** @param jobs names of the jobs to pause or to resume */
    static Caution ofJobs(Invocation call, List<String> jobs) {
        ChangeCaution caution = new ChangeCaution(call);
        jobs.forEach(caution::job);
        return new Caution(caution.lines, caution.guard);
    }

    static Caution ofOverride(Invocation call) {
        ChangeCaution caution = new ChangeCaution(call);
        String job = call.require("JOB");
        Answer details = call.client().get(call.path("jobs", job));
        boolean sets = call.verb().operation() == Operation.SET_OVERRIDE;
        List<String> named = sets
                ? call.map("FIELD=VALUE").keySet().stream()
                        .map(Object::toString)
                        .toList()
                : call.list("FIELD");
        details.list("fields").stream()
                .filter(each -> each.flag("overridden"))
                .filter(each -> named.contains(each.text("field")) || (named.isEmpty() && !sets))
                .forEach(each -> caution.present(
                        each.text("field") + " of job '" + job + "' was overridden",
                        each.object("change"),
                        call.session().times(details.object("summary")),
                        Guard.JOB));
        named.stream()
                .filter(each -> sets
                        && JobConfiguration.field(each)
                                .filter(JobField::isRising)
                                .isPresent())
                .forEach(each -> {
                    caution.lines.add(each + " of job '" + job + "' only rises, so no command can take this back");
                    caution.guard = Guard.JOB;
                });
        return new Caution(caution.lines, caution.guard);
    }

    static Caution ofFreeze(Invocation call) {
        ChangeCaution caution = new ChangeCaution(call);
        Answer namespace = call.client().get(call.path());
        caution.present(
                "the namespace was frozen",
                namespace.object("frozen"),
                call.session().times(namespace),
                Guard.NAMESPACE);
        return new Caution(caution.lines, caution.guard);
    }

    static Caution ofDrain(Invocation call) {
        ChangeCaution caution = new ChangeCaution(call);
        Answer namespace = call.client().get(call.path());
        String named = call.require("INSTANCE");
        caution.present(
                "instance '" + named + "' was drained",
                namespace.object("drained").object(named),
                call.session().times(namespace),
                Guard.NAMESPACE);
        return new Caution(caution.lines, caution.guard);
    }

    private void present(String what, Answer change, Times times, Guard ofOthers) {
        if (!change.json().isEmpty()) {
            lines.add(what + " by " + Reports.change(times, change));
            if (!call.session().person().equals(Optional.of(change.text("by")))) {
                guard = ofOthers;
            }
        }
    }

    private void job(String job) {
        Answer details;
        try {
            details = call.client().get(call.path("jobs", job));
        } catch (Failure e) { // the command itself reports it, and continues with the other jobs
            return;
        }
        boolean resumes = call.verb().operation() == Operation.RESUME;
        Optional<Answer> paused = FieldTable.field(details, "paused").filter(each -> each.flag("effective"));
        if (paused.isEmpty()) {
            return;
        }
        Answer change = paused.get().object("change");
        present("job '" + job + "' was paused", change, call.session().times(details.object("summary")), Guard.JOB);
        if (resumes && change.json().isEmpty()) {
            String reason = paused.get().flag("overridden") ? "" : FieldTable.effective(details, "pauseReason");
            lines.add("job '" + job + "' is paused by its definition" + (reason.isEmpty() ? "" : ": " + reason));
        }
    }
}
