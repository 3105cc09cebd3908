package io.ostraka.cli;

import io.ostraka.api.operations.JobSummary;
import io.ostraka.cli.terminal.Near;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Adds a hint to a failure whose cause may be a mistyped name: the nearest names that the namespace has. */
final class Mistyped {
    private static final Set<ExitCode> CAUSED = Set.of(ExitCode.NOT_FOUND, ExitCode.CONFLICT, ExitCode.USAGE);

    private Mistyped() {}

    /**
     * Returns the failure, with a hint if a name on the command line is unknown and a known name is similar. Failures
     * without a problem document come from this program itself, and are returned unchanged.
     */
    static Failure explained(Invocation call, Failure e) {
        List<String> jobs = new ArrayList<>(call.list("JOB"));
        if (jobs.isEmpty()) {
            call.text("JOB").ifPresent(jobs::add);
            call.text("--job").ifPresent(jobs::add);
        }
        return explained(call, jobs, e);
    }

    /** @param jobs names of jobs that the failure may concern */
    static Failure explained(Invocation call, List<String> jobs, Failure e) {
        if (!CAUSED.contains(e.exitCode())
                || e.problem().isJsonNull()
                || e.text().contains(Near.QUESTION)) {
            return e;
        }
        try {
            String hint = hint(call, jobs);
            return hint.isEmpty() ? e : new Failure(e.exitCode(), e.text() + hint, e.problem());
        } catch (Failure unreadable) { // the first failure is more important
            return e;
        }
    }

    private static String hint(Invocation call, List<String> jobs) {
        Set<?> set = call.map("FIELD=VALUE").keySet();
        String field = set.isEmpty()
                ? unknown(call.list("FIELD"), FieldText.names())
                : unknown(set.stream().map(Object::toString).toList(), FieldText.settable());
        if (!field.isEmpty()) {
            return field;
        }
        String namespace = call.session().namespace();
        List<String> namespaces = call.client()
                .get(Answers.Namespaces.class, Client.path())
                .value()
                .namespaces();
        if (!namespaces.contains(namespace)) {
            return Near.hint(namespace, namespaces);
        }
        String hint = jobs.isEmpty() ? "" : unknown(jobs, jobs(call));
        return !hint.isEmpty()
                ? hint
                : call.text("INSTANCE")
                        .map(each -> unknown(List.of(each), Instances.names(Instances.read(call))))
                        .orElse("");
    }

    /** Returns the hint for an unknown job. */
    static String job(Invocation call, String job) {
        return Near.hint(job, jobs(call));
    }

    private static List<String> jobs(Invocation call) {
        return Selection.read(call, List.of()).value().jobs().stream()
                .map(JobSummary::job)
                .toList();
    }

    private static String unknown(List<String> given, List<String> known) {
        return given.stream()
                .filter(each -> !known.contains(each))
                .map(each -> Near.hint(each, known))
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse("");
    }
}
