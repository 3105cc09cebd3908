package io.ostraka.lite.process;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.model.JobView;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

/** Tells from ZooKeeper what workers can't: who is to have which item, and which ends have been recorded. */
final class Observer implements Coordination.Listener, AutoCloseable {
    private final List<HostedJob> jobs;
    private final LongFunction<String> nameOfPid;
    private final Recorder recorder;
    private final Coordination coordination;
    private final Map<String, String> jobOfRun = new ConcurrentHashMap<>();
    /** What was told last, by job and item, or run and item. */
    private final Map<List<String>, String> told = new HashMap<>();

    /** Begins to observe. */
    Observer(String servers, List<HostedJob> jobs, LongFunction<String> nameOfPid, Recorder recorder) {
        this.jobs = jobs;
        this.nameOfPid = nameOfPid;
        this.recorder = recorder;
        this.coordination = new TreeCoordination(
                new ZooKeeperNodeStore(ZooKeeperConfig.of(servers, HoldingWorker.NAMESPACE)), new SystemClock());
        coordination.start(this);
        jobs.forEach(job -> coordination.jobs().follow(job.name(), true));
    }

    /** Tells from now on which items of a triggered run have ended. */
    void follow(String job, String run) {
        jobOfRun.put(run, job);
        coordination.fires().follow(job, true);
        fireChanged(job, run);
    }

    /** Returns who has an item by the latest plan. */
    synchronized String owner(String job, String item) {
        return told.get(List.of(job, item));
    }

    @Override
    public void planChanged(String job) {
        coordination.jobs().job(job).thenAccept(this::placed);
    }

    private synchronized void placed(JobView view) {
        if (view.plan() == null) {
            return;
        }
        view.plan().value().owners().forEach((item, instance) -> {
            String worker = nameOfPid.apply(Long.parseLong(instance.split("@", -1)[1]));
            if (!worker.equals(told.put(List.of(view.name(), item), worker))) {
                recorder.add(Event.of(worker, Event.Kind.PLACED, view.name(), item, "", instance));
            }
        });
    }

    @Override
    public void fireChanged(String job, String run) {
        if (!jobOfRun.containsKey(run)) {
            return;
        }
        coordination
                .fires()
                .progress(job, run)
                .thenAccept(progress -> progress.ifPresent(found ->
                        found.value().outcomes().forEach((item, outcome) -> recorded(job, item, run, outcome.name()))));
    }

    private synchronized void recorded(String job, String item, String run, String outcome) {
        if (told.put(List.of(job, item, run), outcome) == null) {
            recorder.add(Event.of("", Event.Kind.RECORDED, job, item, run, outcome));
        }
    }

    @Override
    public void connected(long sessionId, Duration sessionTimeout) {
        jobs.forEach(job -> planChanged(job.name()));
        jobOfRun.forEach((run, job) -> fireChanged(job, run));
    }

    @Override
    public void suspended() {}

    @Override
    public void lost() {}

    @Override
    public void leadership(Optional<String> candidate) {}

    @Override
    public void instancesChanged() {}

    @Override
    public void configurationChanged(String job) {}

    @Override
    public void itemChanged(String job, String item) {}

    @Override
    public void triggersChanged() {}

    @Override
    public void triggerChanged(String name, boolean gone) {}

    @Override
    public void close() {
        coordination.close();
    }
}
