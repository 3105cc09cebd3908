package io.ostraka.bench.compare;

import java.util.Locale;

/**
 * Who takes part, and how its processes are started.
 *
 * @param name as it is printed
 * @param contender the class
 * @param classPath all that a process needs
 */
record Entrant(String name, String contender, String classPath) {
    /** This library. */
    static Entrant ostraka() {
        return new Entrant("Ostraka", OstrakaContender.class.getName(), System.getProperty("java.class.path"));
    }

    /** ElasticJob, with a class path of its own. */
    static Entrant elasticJob(String classPath) {
        return new Entrant("ElasticJob", "io.ostraka.bench.compare.elasticjob.ElasticJobContender", classPath);
    }

    /** Returns its name as it can stand in a path. */
    String id() {
        return name.toLowerCase(Locale.ROOT);
    }
}
