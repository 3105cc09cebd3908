package io.ostraka.bench;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.EngineThreads;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.QuartzFireTimer;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.testkit.InMemoryCoordination;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * Runs this library's engine on the machine's own clock, alarm and threads, with coordination in memory. Requests
 * arrive at once, and replies arrive on a client thread, as with ZooKeeper.
 */
final class TimedOstraka implements TimedScheduler {
    /**
     * Number of fires by which a job may fall behind when the machine stalls. All of these fires still run, as they do
     * with Quartz.
     */
    private static final int BEHIND = 60;

    @Override
    public void schedule(Load load, Body body) {
        SystemClock clock = new SystemClock();
        EngineThreads machine = new EngineThreads(clock, new QuartzFireTimer());
        InMemoryCoordination tree = new InMemoryCoordination(clock::now);
        JobEngine engine = new JobEngine(
                EngineSettings.of("bench", ProcessHandle.current().pid()).withRuns(load.threads(), load.threads()),
                new TreeCoordination(tree.connect("bench", Executors.newSingleThreadExecutor()), clock),
                machine.platform(),
                Map.of(JobConfiguration.DEFAULT_STRATEGY, new StickyBalancedStrategy()));
        engine.start();
        SimpleJob job = context -> body.ran(Integer.parseInt(context.jobName()), context.fireTime());
        for (int number = 0; number < load.jobs(); number++) {
            engine.register(
                    job,
                    JobConfiguration.newBuilder(Integer.toString(number), 1)
                            .schedule(Schedule.fixedRate(PERIOD).startingAt(load.first(number)))
                            .misfire(MisfirePolicy.fireAll(BEHIND))
                            .overlap(OverlapPolicy.queue(BEHIND))
                            .build());
        }
    }
}
