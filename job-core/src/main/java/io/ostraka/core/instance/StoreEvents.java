package io.ostraka.core.instance;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.job.HostedJob;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Passes the events of ZooKeeper to the parts of the engine that they concern. */
final class StoreEvents implements Coordination.Listener {
    private final EngineParts parts;

    StoreEvents(EngineParts parts) {
        this.parts = parts;
    }

    @Override
    public void connected(long sessionId, Duration sessionTimeout) {
        parts.executor.execute(() -> {
            parts.health.reached();
            parts.registration.connected(sessionId, sessionTimeout);
            parts.orders.connected();
            parts.watchdog.connected();
        });
    }

    @Override
    public void suspended() {
        parts.executor.execute(this::disconnected);
    }

    @Override
    public void lost() {
        parts.executor.execute(() -> {
            disconnected();
            parts.watchdog.doubt("the session with ZooKeeper is lost");
        });
    }

    private void disconnected() {
        parts.registration.disconnected();
        parts.health.disconnected();
        parts.lifecycle.disconnected();
        parts.jobs.all().forEach(HostedJob::suspended);
    }

    @Override
    public void hindered(String why) {
        parts.executor.execute(() -> parts.health.refused(why));
    }

    @Override
    public void limited(@Nullable String what) {
        parts.health.limited(what);
    }

    @Override
    public void leadership(Optional<String> candidate) {
        parts.reconciler.leadership(candidate);
    }

    @Override
    public void instancesChanged() {
        parts.reconciler.instancesChanged();
    }

    @Override
    public void planChanged(String job) {
        parts.jobs.ifHosted(job, HostedJob::planChanged);
    }

    @Override
    public void configurationChanged(String job) {
        parts.reconciler.configurationChanged(job);
        // if the override is damaged, this instance may restore the last state that it has read
        parts.jobs.ifHosted(job, HostedJob::planChanged);
    }

    @Override
    public void itemChanged(String job, String item) {
        parts.jobs.ifHosted(job, hosted -> hosted.itemChanged(item));
        parts.reconciler.itemChanged(job);
    }

    @Override
    public void triggersChanged() {
        parts.executor.execute(parts.waiting::read);
    }

    @Override
    public void triggerChanged(String name, boolean gone) {
        parts.executor.execute(() -> parts.waiting.triggerChanged(name, gone));
        if (gone) {
            parts.reconciler.triggerDeleted();
        }
    }

    @Override
    public void delayedTriggersChanged() {
        parts.reconciler.delayedTriggersChanged();
    }

    @Override
    public void backfillsChanged() {
        parts.reconciler.backfillsChanged();
    }

    @Override
    public void healthChanged() {
        parts.reconciler.healthChanged();
    }

    @Override
    public void stopsChanged() {
        parts.executor.execute(parts.stops::read);
    }

    @Override
    public void ordersChanged() {
        parts.executor.execute(parts.orders::changed);
    }

    @Override
    public void fireChanged(String job, String fire) {
        HostedJob hosted = parts.jobs.get(job);
        if (hosted == null) {
            parts.executor.execute(() -> parts.triggers.fireChanged(fire));
        } else {
            hosted.fireChanged(fire);
        }
    }
}
