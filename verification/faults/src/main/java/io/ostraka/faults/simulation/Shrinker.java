package io.ostraka.faults.simulation;

import java.util.ArrayList;
import java.util.List;

/** Removes faults from a scenario until only those are left that are needed to break the same invariant. */
public final class Shrinker {
    private final Scenario scenario;
    private final CoordinationHooks hooks;
    private final String invariant;

    private Shrinker(Scenario scenario, CoordinationHooks hooks, String invariant) {
        this.scenario = scenario;
        this.hooks = hooks;
        this.invariant = invariant;
    }

    /**
     * Returns a scenario from which no further fault can be removed. If the scenario breaks no invariant, returns it
     * unchanged.
     */
    public static Scenario shrink(Scenario scenario, CoordinationHooks hooks) {
        Simulation.Result result = Simulation.run(scenario, hooks);
        if (result.violations().isEmpty()) {
            return scenario;
        }
        return new Shrinker(scenario, hooks, result.violations().get(0).invariant()).shrink();
    }

    private Scenario shrink() {
        List<Fault> kept = scenario.faults();
        for (int size = Math.max(1, kept.size() / 2); size > 0; size /= 2) {
            for (int from = 0; from < kept.size(); ) {
                List<Fault> fewer = new ArrayList<>(kept.subList(0, from));
                fewer.addAll(kept.subList(Math.min(kept.size(), from + size), kept.size()));
                if (fails(fewer)) {
                    kept = fewer;
                } else {
                    from += size;
                }
            }
        }
        return scenario.with(kept);
    }

    private boolean fails(List<Fault> faults) {
        return Simulation.run(scenario.with(faults), hooks).violations().stream()
                .anyMatch(violation -> violation.invariant().equals(invariant));
    }
}
