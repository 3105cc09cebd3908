package io.ostraka.bench;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** The participants of the measurements. */
public enum Entrant {
    /** This library. */
    OSTRAKA("Ostraka", "OstrakaContender"),
    /** This library with a history at the default level, in a database on the same machine. */
    HISTORY("Ostraka, history", "HistoryContender"),
    /**
     * ElasticJob with monitorExecution and failover on. The bounds refer to this variant, because it makes the same
     * promises as this library.
     */
    SAFE("ElasticJob safe", "elasticjob.ElasticJobContender"),
    /** ElasticJob with monitorExecution and failover off. */
    FAST("ElasticJob fast", "elasticjob.FastElasticJobContender"),
    /** Quartz in memory, which gives the lower limit of the cost of a start. */
    QUARTZ("Quartz alone", "QuartzContender"),
    /** The ZooKeeper client alone, which gives the lower limit of the cost of coordination. It schedules nothing. */
    CURATOR("raw Curator", "");

    /**
     * The entrants of scenarios that compare schedulers: all entrants except the variant of this library with a
     * history.
     */
    static final Set<Entrant> COMPARED = Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(HISTORY)));
    /** The entrants of {@link #COMPARED} that schedule jobs. */
    static final Set<Entrant> SCHEDULERS =
            Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(HISTORY, CURATOR)));

    private final String text;
    private final String contender;

    Entrant(String text, String contender) {
        this.text = text;
        this.contender = contender;
    }

    /** Returns the name for output. */
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
