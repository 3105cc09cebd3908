package io.ostraka.faults.simulation;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ShardingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A dataflow job that continues from its checkpoint. Each batch increases the checkpoint by one. */
final class SimulatedDataflow implements DataflowJob<Long> {
    private final UserCode userCode;

    SimulatedDataflow(UserCode userCode) {
        this.userCode = userCode;
    }

    @Override
    public List<Long> fetchData(ShardingContext context) throws Exception {
        return userCode.recorder().call(context, "fetchData", () -> {
            userCode.effect(context);
            if (!userCode.takesTime() || userCode.random().nextInt(4) == 0) {
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
        userCode.recorder().call(context, "processData", () -> {
            userCode.pause(context, 3_000);
            userCode.effect(context, data.get(0));
            context.saveCheckpoint(Long.toString(data.get(0) + 1).getBytes(StandardCharsets.UTF_8));
            return "";
        });
    }
}
