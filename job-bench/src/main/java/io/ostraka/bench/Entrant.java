package io.ostraka.bench;

import java.util.List;

/**
 * Who takes part, and how its process is started.
 *
 * @param name as it is printed
 * @param contender the class
 * @param classPath all that the process needs
 * @param coordinates whether it asks ZooKeeper for anything
 */
record Entrant(String name, String contender, String classPath, boolean coordinates) {
    private static final String PACKAGE = "io.ostraka.bench.";

    /** This library, and Quartz alone. */
    static List<Entrant> builtIn() {
        String own = System.getProperty("java.class.path");
        return List.of(
                new Entrant("Ostraka", PACKAGE + "OstrakaContender", own, true),
                new Entrant("Quartz alone", PACKAGE + "QuartzContender", own, false));
    }

    /** ElasticJob, with a class path of its own. */
    static Entrant elasticJob(String classPath) {
        return new Entrant("ElasticJob", PACKAGE + "elasticjob.ElasticJobContender", classPath, true);
    }
}
