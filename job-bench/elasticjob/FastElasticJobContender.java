package io.ostraka.bench.elasticjob;

/** ElasticJob without monitorExecution and failover: it writes least, and an interrupted fire is lost. */
public final class FastElasticJobContender extends ElasticJobContender {
    public FastElasticJobContender() {
        super(false);
    }
}
