package io.ostraka.spring.test;

import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** An extension of the instance. */
@Component
final class Counting implements RunInterceptor {
    final List<String> runs = new CopyOnWriteArrayList<>();

    @Override
    public void before(ShardingContext context) {
        runs.add(context.jobName() + "/" + context.itemKey());
    }
}
