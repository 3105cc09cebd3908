package io.ostraka.faults.simulation;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ShardingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A dataflow job that continues from its checkpoint. Each batch advances the checkpoint by one. */
final class WatchedFlow implements DataflowJob<Long> {
    private final Watch watch;

    WatchedFlow(Watch watch) {
        this.watch = watch;
    }

    @Override
    public List<Long> fetchData(ShardingContext context) throws Exception {
        return watch.recorder().call(context, "fetchData", () -> {
            watch.effect(context);
            if (!watch.takesTime() || watch.random().nextInt(4) == 0) {
                return List.of();
            }
            String position = context.checkpoint()
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .orElse("0");
            return List.of(Long.parseLong(position));
        });
    }

    @Override
    public void processData(ShardingContext context, List<Long> data) throws Exception {
        watch.recorder().call(context, "processData", () -> {
            watch.pause(context, 3_000);
            watch.effect(context, data.get(0));
            context.saveCheckpoint(Long.toString(data.get(0) + 1).getBytes(StandardCharsets.UTF_8));
            return "";
        });
    }
}
