package io.ostraka.faults.model;

/**
 * State of {@link OnceModel}: one fire of a job with once-listeners, the fire's node, its items, and the instances with
 * their calls. An instance is a session; its process may outlive the session and open another one.
 */
final class OnceWorld extends World {
    static final int ITEMS = 2;
    static final int EVERY_ITEM = (1 << ITEMS) - 1;
    private static final Phase[] PHASES = Phase.values();
    private static final Share[] SHARES = Share.values();
    private static final Session[] SESSIONS = Session.values();
    private static final Call[] CALLS = Call.values();

    /** Phase in the fire's node. */
    enum Phase {
        /** The node does not exist yet. */
        NONE,
        BEGINNING,
        OPEN,
        CLOSING,
        /** The node was deleted. */
        ENDED
    }

    /** Progress of the fire for one item, according to the item's record. */
    enum Share {
        /** The record does not contain the fire, which may be due. */
        UNDECIDED,
        CLAIMED,
        /** The item has skipped the fire, but the fire's node does not show this. */
        SKIPPED,
        ENDED
    }

    /** State of an instance. */
    enum Session {
        LIVE,
        /** The session has ended, but the process does not know this yet. */
        LOST,
        /** The process has a new session, and is finishing a call that it began in the old one. */
        BACK,
        DEAD
    }

    /** Progress of a call of the listener. */
    enum Call {
        NONE,
        INSIDE,
        RETURNED
    }

    /** An item of the fire. */
    static final class Item {
        Share share = Share.UNDECIDED;
        /** Number of the instance that claimed the item. */
        int owner;
        /** True if the item's code runs and its session is alive. */
        boolean code;

        void lay(PackedState cells, int instances) {
            share = cells.one(share, SHARES);
            owner = cells.number(owner, instances);
            code = cells.flag(code);
        }
    }

    /** Instance that hosts the job. */
    static final class Instance {
        final int number;
        /** True if the instance has the listener's code. */
        final boolean listens;

        Session session = Session.LIVE;
        Call before = Call.NONE;
        Call after = Call.NONE;

        Instance(int number, boolean listens) {
            this.number = number;
            this.listens = listens;
        }

        void lay(PackedState cells) {
            session = cells.one(session, SESSIONS);
            before = cells.one(before, CALLS);
            after = cells.one(after, CALLS);
        }

        boolean live() {
            return session == Session.LIVE;
        }

        String name() {
            return "instance " + (char) ('A' + number);
        }
    }

    Phase phase = Phase.NONE;
    /** Items in the fire's node that have not ended, as bits. */
    int left;
    /** Caller that the node names: 0 for none, otherwise the number of the instance plus one. */
    int caller;

    final Item[] items = new Item[ITEMS];
    final Instance[] instances;

    /** Creates the first state, in which no item has claimed the fire. */
    OnceWorld(OnceModel.Scenario scenario) {
        for (int i = 0; i < ITEMS; i++) {
            items[i] = new Item();
        }
        instances = new Instance[scenario.instances()];
        for (int i = 0; i < instances.length; i++) {
            instances[i] = new Instance(i, i < scenario.listening());
        }
    }

    /** Returns whether the node names no caller, or a caller whose session has ended. */
    boolean callerGone() {
        return caller == 0 || !instances[caller - 1].live();
    }

    boolean names(Instance instance) {
        return caller == instance.number + 1;
    }

    /** Returns whether a live instance is in a call of beforeFirst (or of afterLast, if {@code before} is false). */
    boolean inside(boolean before) {
        for (Instance each : instances) {
            if (each.live() && (before ? each.before : each.after) == Call.INSIDE) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether another live instance is in a call of afterLast. */
    boolean insideOther(Instance instance) {
        for (Instance each : instances) {
            if (each.number != instance.number && each.live() && each.after == Call.INSIDE) {
                return true;
            }
        }
        return false;
    }

    @Override
    void lay(PackedState cells) {
        phase = cells.one(phase, PHASES);
        left = cells.number(left, 1 << ITEMS);
        caller = cells.number(caller, instances.length + 1);
        for (Item item : items) {
            item.lay(cells, instances.length);
        }
        for (Instance instance : instances) {
            instance.lay(cells);
        }
    }

    @Override
    void normalise() {
        for (Item item : items) {
            if (item.share != Share.CLAIMED) {
                item.owner = 0;
                item.code = false;
            }
        }
        if ((phase == Phase.OPEN && left != 0) || phase == Phase.ENDED) {
            caller = 0;
        }
    }
}
