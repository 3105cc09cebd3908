package io.ostraka.bench;

/** The participants of the measurements. */
public enum Entrant {
    /** This library. */
    OSTRAKA("Ostraka", "OstrakaContender"),
    /**
     * ElasticJob with monitorExecution and failover on. It makes the same promises as this library, so the bounds refer
     * to this variant.
     */
    SAFE("ElasticJob safe", "elasticjob.ElasticJobContender"),
    /** ElasticJob with monitorExecution and failover off. */
    FAST("ElasticJob fast", "elasticjob.FastElasticJobContender"),
    /** Quartz in memory: the lower limit of the cost of a start. */
    QUARTZ("Quartz alone", "QuartzContender"),
    /** The client alone: the lower limit of the cost of coordination. It schedules nothing. */
    CURATOR("raw Curator", "");

    private final String text;
    private final String contender;

    Entrant(String text, String contender) {
        this.text = text;
        this.contender = contender;
    }

    /** Returns the printed name. */
    public String text() {
        return text;
    }

    /** Returns the class name of this entrant's {@link Contender}. */
    public String contender() {
        return Entrant.class.getPackageName() + "." + contender;
    }

    /**
     * Returns the class path of this entrant's processes.
     *
     * @param elasticJob class path of ElasticJob's processes
     */
    public String classPath(String elasticJob) {
        return isElasticJob() ? elasticJob : System.getProperty("java.class.path");
    }

    boolean isElasticJob() {
        return this == SAFE || this == FAST;
    }

    /** Returns whether this entrant schedules jobs. */
    boolean schedules() {
        return this != CURATOR;
    }

    /** Returns whether this entrant uses ZooKeeper to schedule jobs. */
    boolean coordinates() {
        return schedules() && this != QUARTZ;
    }
}
