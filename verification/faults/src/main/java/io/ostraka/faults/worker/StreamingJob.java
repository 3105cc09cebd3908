package io.ostraka.faults.worker;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ShardingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A stream that continues from its checkpoint. Each batch is one number. The job writes the number to the resource
 * before it advances the checkpoint by one. The accepted writes of an item are therefore consecutive numbers, and only
 * the latest number may occur more than once in a row.
 */
final class StreamingJob implements DataflowJob<Long> {
    /** On average, one fetch in this number of fetches returns no batch, so that the run ends. */
    private static final int BATCHES = 4;

    private final UserCode userCode;

    StreamingJob(UserCode userCode) {
        this.userCode = userCode;
    }

    @Override
    public List<Long> fetchData(ShardingContext context) throws Exception {
        return userCode.call(context, "fetchData", () -> {
            userCode.effect(context, null);
            if (userCode.hurried()) {
                return List.of();
            }
            long position = context.checkpoint()
                    .map(bytes -> Long.parseLong(new String(bytes, StandardCharsets.UTF_8)))
                    .orElse(0L);
            return userCode.random(context, position).nextInt(BATCHES) == 0 ? List.of() : List.of(position);
        });
    }

    @Override
    public void processData(ShardingContext context, List<Long> data) throws Exception {
        userCode.call(context, "processData", () -> {
            long position = data.get(0);
            WorkProfile profile = WorkProfile.of(context.jobName());
            SplittableRandom random = userCode.random(context, -position);
            boolean stubborn = random.nextInt(profile.stubborn()) == 0;
            userCode.work(context, random.nextInt(profile.leastMillis(), profile.mostMillis()), stubborn);
            userCode.effect(context, position);
            userCode.mayFail(random, profile);
            context.saveCheckpoint(Long.toString(position + 1).getBytes(StandardCharsets.UTF_8));
            return "";
        });
    }
}
