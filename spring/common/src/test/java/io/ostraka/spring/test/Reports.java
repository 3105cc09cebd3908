package io.ostraka.spring.test;

import io.ostraka.spring.ShardedJob;
import org.springframework.stereotype.Component;

/** A bean with a method that is a job. */
@Component
class Reports {
    private final Settlement.Orders orders;

    Reports(Settlement.Orders orders) {
        this.orders = orders;
    }

    @ShardedJob(name = "report", shardingTotalCount = 1)
    void report() {
        orders.settle(-1);
    }

    /** A class with a job that is no component itself. */
    abstract static class Inherited {
        private final Settlement.Orders orders;

        Inherited(Settlement.Orders orders) {
            this.orders = orders;
        }

        @ShardedJob(name = "inherited", shardingTotalCount = 1)
        void inherited() {
            orders.settle(-2);
        }
    }
}
