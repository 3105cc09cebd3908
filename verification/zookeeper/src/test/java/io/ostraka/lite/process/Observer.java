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

/** Records the events that are visible only in ZooKeeper: the owner of each item, and the recorded ends of items. */
final class Observer implements Coordination.Listener, AutoCloseable {
    private final List<HostedJob> jobs;
    private final LongFunction<String> nameOfPid;
    private final Recorder recorder;
    private final Coordination coordination;
    private final Map<String, String> jobOfRun = new ConcurrentHashMap<>();
    /** Latest owner by job and item, and latest outcome by job, run and item. */
    private final Map<List<String>, String> latest = new HashMap<>();

    /** Starts observing. */
    Observer(String servers, List<HostedJob> jobs, LongFunction<String> nameOfPid, Recorder recorder) {
        this.jobs = jobs;
        this.nameOfPid = nameOfPid;
        this.recorder = recorder;
        this.coordination = new TreeCoordination(
                new ZooKeeperNodeStore(ZooKeeperConfig.of(servers, HoldingWorker.NAMESPACE)), new SystemClock());
        coordination.start(this);
        jobs.forEach(job -> coordination.jobs().follow(job.name(), true));
    }

    /** Records the ends of the items of a triggered run from now on. */
    void follow(String job, String run) {
        jobOfRun.put(run, job);
        coordination.fires().follow(job, true);
        fireChanged(job, run);
    }

    /** Returns the owner of an item in the latest plan; null if no plan assigns it yet. */
    synchronized String owner(String job, String item) {
        return latest.get(List.of(job, item));
    }

    @Override
    public void planChanged(String job) {
        coordination.jobs().job(job).thenAccept(this::assigned);
    }

    private synchronized void assigned(JobView view) {
        if (view.plan() == null) {
            return;
        }
        view.plan().value().owners().forEach((item, instance) -> {
            String worker = nameOfPid.apply(Long.parseLong(instance.split("@", -1)[1]));
            if (!worker.equals(latest.put(List.of(view.name(), item), worker))) {
                recorder.add(Event.of(worker, Event.Kind.ASSIGNED, view.name(), item, "", instance));
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
        if (latest.put(List.of(job, item, run), outcome) == null) {
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
