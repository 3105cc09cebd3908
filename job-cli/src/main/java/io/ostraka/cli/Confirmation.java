package io.ostraka.cli;

import java.util.List;
import java.util.Map;

/**
 * Asks the user to type a name before a command that is hard to take back. Without a terminal nothing can be asked, so
 * the command is refused at once.
 *
 * @param call the command
 * @param selected true if the user has selected the jobs instead of naming them
 */
record Confirmation(Invocation call, boolean selected) {
    static Confirmation of(Invocation call) {
        return new Confirmation(
                call, call.verb().isForManyJobs() && !Selection.query(call).isEmpty());
    }

    /**
     * Asks if the command needs it.
     *
     * @param common the parts that all targets share
     * @param names names of the targets
     * @param jobs true if the targets are jobs
     */
    void require(Map<String, String> common, List<String> names, boolean jobs) {
        boolean several = jobs && names.size() > 1;
        Guard guard = several ? Guard.NAMESPACE : call.verb().guard();
        if (selected && guard == Guard.NONE) {
            guard = Guard.JOB;
        }
        if (guard == Guard.NONE || call.flag(Invocation.YES)) {
            return;
        }
        String name = guard == Guard.NAMESPACE
                ? call.session().namespace()
                : jobs ? names.get(0) : common.getOrDefault(Parameter.JOB, "");
        String what = "'" + call.verb().path() + "' on " + subject(names, jobs);
        if (!call.terminal().isInteractive()) {
            throw Failure.usage(
                    what + " needs a confirmation, and there is no terminal to ask on; add --yes if you are" + " sure");
        }
        String question = what + ".\nType the name of the " + (guard == Guard.NAMESPACE ? "namespace" : "job") + ", "
                + name + ": ";
        if (!call.terminal().ask(question).map(String::strip).orElse("").equals(name)) {
            throw Failure.usage("the name does not match, so nothing was changed");
        }
    }

    private String subject(List<String> names, boolean jobs) {
        if (!jobs) {
            String instance = call.text("INSTANCE")
                    .map(each -> "instance '" + each + "' of ")
                    .orElse("");
            return instance + "namespace '" + call.session().namespace() + "'";
        }
        return names.size() == 1 ? "job '" + names.get(0) + "'" : names.size() + " jobs: " + String.join(", ", names);
    }
}
