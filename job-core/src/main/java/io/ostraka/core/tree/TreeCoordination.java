package io.ostraka.core.tree;

import io.ostraka.core.coordination.Alarms;
import io.ostraka.core.coordination.Backfills;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Fires;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.Settings;
import io.ostraka.core.time.Clock;

/** Implements {@link Coordination} on a {@link NodeStore}: stores jobs, items and instances in a tree of nodes. */
public final class TreeCoordination implements Coordination {
    private final NodeStore store;
    private final Membership membership;
    private final Jobs jobs;
    private final Fires fires;
    private final Backfills backfills;
    private final Items items;
    private final Alarms alarms;
    private final Settings settings;

    /**
     * Creates the coordination on a store.
     *
     * @param clock measures the age of the last answer and estimates the time on the server's clock
     */
    public TreeCoordination(NodeStore store, Clock clock) {
        this.store = store;
        Nodes nodes = new Nodes(store, clock);
        this.membership = new TreeMembership(nodes);
        this.fires = new TreeFires(nodes);
        this.backfills = new TreeBackfills(nodes);
        this.items = new TreeItems(nodes);
        this.alarms = new TreeAlarms(nodes);
        this.jobs = new TreeJobs(nodes, membership);
        this.settings = new TreeSettings(nodes);
    }

    @Override
    public void start(Listener listener) {
        store.start(new WatchEvents(listener, store));
    }

    @Override
    public Membership membership() {
        return membership;
    }

    @Override
    public Jobs jobs() {
        return jobs;
    }

    @Override
    public Fires fires() {
        return fires;
    }

    @Override
    public Backfills backfills() {
        return backfills;
    }

    @Override
    public Items items() {
        return items;
    }

    @Override
    public Alarms alarms() {
        return alarms;
    }

    @Override
    public Settings settings() {
        return settings;
    }

    @Override
    public void close() {
        store.close();
    }
}
