package io.ostraka.bench.elasticjob;

/** ElasticJob without monitorExecution and failover: it sends the fewest writes, and loses an interrupted fire. */
public final class FastElasticJobContender extends ElasticJobContender {
    public FastElasticJobContender() {
        super(false);
    }
}
