package io.ostraka.cli;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Failure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
        Answers.Job details = call.job(job);
        boolean sets = call.verb().operation() == Operation.SET_OVERRIDE;
        List<String> named = sets ? FieldText.fields(call.map("FIELD=VALUE")) : call.list("FIELD");
        details.fields().stream()
                .filter(Answers.Field::isOverridden)
                .filter(each -> named.contains(each.field()) || (named.isEmpty() && !sets))
                .forEach(each -> caution.present(
                        each.field() + " of job '" + job + "' was overridden",
                        each.change(),
                        details.summary().at(),
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
        NamespaceDetails namespace = namespace(call);
        caution.present("the namespace was frozen", namespace.frozen(), namespace.at(), Guard.NAMESPACE);
        return new Caution(caution.lines, caution.guard);
    }

    static Caution ofDrain(Invocation call) {
        ChangeCaution caution = new ChangeCaution(call);
        NamespaceDetails namespace = namespace(call);
        String named = call.require("INSTANCE");
        caution.present(
                "instance '" + named + "' was drained",
                namespace.drained().get(named),
                namespace.at(),
                Guard.NAMESPACE);
        return new Caution(caution.lines, caution.guard);
    }

    private static NamespaceDetails namespace(Invocation call) {
        return call.client().get(NamespaceDetails.class, call.path()).value();
    }

    private void present(String what, @Nullable Change change, Instant now, Guard ofOthers) {
        if (change != null) {
            lines.add(what + " by " + call.session().times(now).change(change));
            if (!call.session().person().equals(Optional.of(change.by()))) {
                guard = ofOthers;
            }
        }
    }

    private void job(String job) {
        Answers.Job details;
        try {
            details = call.job(job);
        } catch (Failure e) { // the command itself reports it, and continues with the other jobs
            return;
        }
        boolean resumes = call.verb().operation() == Operation.RESUME;
        Answers.Field paused = FieldTable.field(details, "paused").orElse(null);
        if (paused == null || !FieldTable.effective(details, "paused").equals("true")) {
            return;
        }
        present(
                "job '" + job + "' was paused",
                paused.change(),
                details.summary().at(),
                Guard.JOB);
        if (resumes && paused.change() == null) {
            String reason = paused.isOverridden() ? "" : FieldTable.effective(details, "pauseReason");
            lines.add("job '" + job + "' is paused by its definition" + (reason.isEmpty() ? "" : ": " + reason));
        }
    }
}
