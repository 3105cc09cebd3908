package io.ostraka.spring.test;

import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import org.springframework.stereotype.Component;

/** An extension of the instance. */
@Component
final class Counting implements RunInterceptor {
    final List<String> runs = new CopyOnWriteArrayList<>();

    final Set<String> instances = new CopyOnWriteArraySet<>();

    @Override
    public void before(ShardingContext context) {
        runs.add(context.jobName() + "/" + context.itemKey());
        instances.add(context.instanceId());
    }
}
