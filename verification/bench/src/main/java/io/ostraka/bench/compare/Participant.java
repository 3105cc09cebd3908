package io.ostraka.bench.compare;

import io.ostraka.bench.Entrant;
import java.util.Locale;

/**
 * An entrant of the comparison under faults.
 *
 * @param classPath class path of its workers' processes
 */
record Participant(Entrant entrant, String classPath) {
    /** Returns this library. */
    static Participant ostraka() {
        return new Participant(Entrant.OSTRAKA, Entrant.OSTRAKA.classPath(""));
    }

    /** Returns ElasticJob with monitorExecution and failover on, which has a class path of its own. */
    static Participant elasticJob(String classPath) {
        return new Participant(Entrant.SAFE, Entrant.SAFE.classPath(classPath));
    }

    String name() {
        return entrant.text();
    }

    /** Returns the name in a form that is valid in paths. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace(' ', '-');
    }
}
