package io.ostraka.bench;

/** Who takes part. */
enum Entrant {
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

    /** Its name, as it is printed. */
    String text() {
        return text;
    }

    /** The class that its process runs. */
    String contender() {
        return Entrant.class.getPackageName() + "." + contender;
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
