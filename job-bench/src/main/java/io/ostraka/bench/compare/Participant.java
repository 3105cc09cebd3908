package io.ostraka.bench.compare;

import io.ostraka.bench.Entrant;
import java.util.Locale;

/**
 * An entrant whose clusters meet the faults.
 *
 * @param classPath of its workers' processes
 */
record Participant(Entrant entrant, String classPath) {
    /** Returns this library. */
    static Participant ostraka() {
        return new Participant(Entrant.OSTRAKA, Entrant.OSTRAKA.classPath(""));
    }

    /** Returns ElasticJob with monitorExecution and failover, on a class path of its own. */
    static Participant elasticJob(String classPath) {
        return new Participant(Entrant.SAFE, Entrant.SAFE.classPath(classPath));
    }

    String name() {
        return entrant.text();
    }

    /** Returns its name as it can stand in a path. */
    String id() {
        return name().toLowerCase(Locale.ROOT).replace(' ', '-');
    }
}
