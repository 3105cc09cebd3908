package io.ostraka.cli;

import io.ostraka.api.operations.Operation;
import io.ostraka.cli.terminal.Near;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the facts that a person must see before a command acts. */
final class Cautions {
    private Cautions() {}

    /**
     * Reads the facts. If they are not readable, the caution says so, and the command may still act.
     *
     * @param names names of the targets
     * @throws Failure with {@link ExitCode#NOT_FOUND} if a target does not exist
     */
    static Caution of(Invocation call, List<String> names) {
        Operation operation = call.verb().operation();
        if (operation == null) {
            return Caution.NONE;
        }
        try {
            return switch (operation) {
                case RELEASE_ITEM -> ReleaseCaution.of(call, names);
                case EVICT_INSTANCE -> EvictionCaution.of(call);
                case PAUSE, RESUME -> ChangeCaution.ofJobs(call, names);
                case SET_OVERRIDE, REMOVE_OVERRIDE -> ChangeCaution.ofOverride(call);
                case FREEZE, THAW -> ChangeCaution.ofFreeze(call);
                case UNDRAIN_INSTANCE -> ChangeCaution.ofDrain(call);
                case DRAIN_INSTANCE -> ChangeCaution.ofDrain(call).and(unmatched(call, Guard.NAMESPACE));
                case TRIGGER -> unhosted(call, names);
                case DISABLE_INSTANCE -> unmatched(call, Guard.JOB);
                default -> Caution.NONE;
            };
        } catch (Failure e) {
            if (e.exitCode() == ExitCode.NOT_FOUND && e.problem().isJsonNull()) {
                throw e;
            }
            return new Caution(
                    List.of("the state that this command would change could not be read: " + e.text()), Guard.NONE);
        }
    }

    /** Warns of jobs whose code no live instance has. A run of such a job waits for such an instance. */
    private static Caution unhosted(Invocation call, List<String> jobs) {
        Set<String> hosted = Instances.read(call).stream()
                .flatMap(each -> each.jobs().stream())
                .collect(Collectors.toSet());
        List<String> lines = jobs.stream()
                .filter(job -> !hosted.contains(job))
                .map(job -> "no live instance has the code of job '" + job
                        + "', so a run waits until such an instance starts")
                .toList();
        return new Caution(lines, Guard.NONE);
    }

    /**
     * Warns of a name that no live instance has. If the user confirms the command, it applies to instances with this
     * name that start later.
     */
    private static Caution unmatched(Invocation call, Guard guard) {
        String named = call.require("INSTANCE");
        List<String> known = Instances.names(Instances.read(call));
        return known.contains(named)
                ? Caution.NONE
                : new Caution(
                        List.of("no live instance or host has the name '" + named + "'" + Near.hint(named, known)),
                        guard);
    }
}
