package io.ostraka.bench;

/** Who takes part. */
public enum Entrant {
    /** This library. */
    OSTRAKA("Ostraka", "OstrakaContender"),
    /** ElasticJob with monitorExecution and failover on: it promises what this library does, and is what is compared. */
    SAFE("ElasticJob safe", "elasticjob.ElasticJobContender"),
    /** ElasticJob with both off. */
    FAST("ElasticJob fast", "elasticjob.FastElasticJobContender"),
    /** Quartz in memory: the floor of what a start costs. */
    QUARTZ("Quartz alone", "QuartzContender"),
    /** The client by itself: the floor of what coordination costs. It schedules nothing. */
    CURATOR("raw Curator", "");

    private final String text;
    private final String contender;

    Entrant(String text, String contender) {
        this.text = text;
        this.contender = contender;
    }

    /** Returns its name, as it is printed. */
    public String text() {
        return text;
    }

    /** Returns the name of its {@link Contender}, which its process runs. */
    public String contender() {
        return Entrant.class.getPackageName() + "." + contender;
    }

    /**
     * Returns the class path of its processes.
     *
     * @param elasticJob that of ElasticJob's processes
     */
    public String classPath(String elasticJob) {
        return isElasticJob() ? elasticJob : System.getProperty("java.class.path");
    }

    boolean isElasticJob() {
        return this == SAFE || this == FAST;
    }

    /** Whether it schedules jobs. */
    boolean schedules() {
        return this != CURATOR;
    }

    /** Whether it schedules jobs by way of ZooKeeper. */
    boolean coordinates() {
        return schedules() && this != QUARTZ;
    }
}
