package io.ostraka.cli;

import io.ostraka.cli.transport.Failure;
import java.util.List;

/**
 * Asks the user to type a name before a command that is hard to take back. Without a terminal, the program cannot ask
 * the user, so it refuses the command at once.
 *
 * @param call the command
 * @param names names of the targets
 */
record Confirmation(Invocation call, List<String> names) {
    /** Shows the facts that the user should know, and asks for a confirmation if the command or the facts demand it. */
    void require() {
        Guard own = guard();
        if (own != Guard.NONE) {
            requireTerminal();
        }
        Caution caution = Cautions.of(call, names);
        caution.lines().forEach(call.terminal()::say);
        Guard guard = own.or(caution.guard());
        if (guard == Guard.NONE || call.flag(Invocation.YES)) {
            return;
        }
        requireTerminal();
        String name = guard == Guard.NAMESPACE ? call.session().namespace() : jobs() ? names.get(0) : job();
        call.terminal().say(what() + ".");
        String question =
                "Type the name of the " + (guard == Guard.NAMESPACE ? "namespace" : "job") + ", " + name + ": ";
        if (!call.terminal().ask(question).map(String::strip).orElse("").equals(name)) {
            throw Failure.usage("the name does not match, so nothing was changed");
        }
    }

    /**
     * Returns the confirmation that the command needs regardless of the present state of the jobs. A selection of jobs needs one, because
     * the command line does not name the jobs.
     */
    private Guard guard() {
        if (jobs() && names.size() > 1) {
            return Guard.NAMESPACE;
        }
        boolean selected = jobs() && !Selection.query(call).isEmpty();
        return call.verb().guard().or(selected ? Guard.JOB : Guard.NONE);
    }

    private void requireTerminal() {
        if (!call.terminal().isInteractive() && !call.flag(Invocation.YES)) {
            throw Failure.usage(
                    what() + " needs a confirmation, and there is no terminal to ask on; add --yes if you are sure");
        }
    }

    private String job() {
        return call.text("JOB").orElseGet(() -> call.require("--job"));
    }

    private boolean jobs() {
        return call.verb().isForManyJobs();
    }

    private String what() {
        return "'" + call.verb().path() + "' on " + subject();
    }

    private String subject() {
        if (jobs()) {
            return names.size() == 1
                    ? "job '" + names.get(0) + "'"
                    : names.size() + " jobs: " + String.join(", ", names);
        } else if (call.verb().each().isPresent()) {
            return (names.size() == 1 ? "item " : "items ") + String.join(", ", names) + " of job '"
                    + call.require("JOB") + "'";
        }
        if (call.text("JOB").isPresent()) {
            return "job '" + call.require("JOB") + "'";
        }
        String instance =
                call.text("INSTANCE").map(each -> "instance '" + each + "' of ").orElse("");
        return instance + "namespace '" + call.session().namespace() + "'";
    }
}
