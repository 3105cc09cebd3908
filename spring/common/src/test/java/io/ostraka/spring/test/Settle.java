package io.ostraka.spring.test;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import org.springframework.stereotype.Component;

/** A job that is a bean. */
@Component
@JobDefinition(name = "settle", shardingTotalCount = 4, cron = "0 * * * * ?")
final class Settle implements SimpleJob {
    private final Settlement.Orders orders;

    Settle(Settlement.Orders orders) {
        this.orders = orders;
    }

    @Override
    public void execute(ShardingContext context) {
        orders.settle(context.shardingItem());
    }
}
