package io.ostraka.faults.model;

/**
 * One fire of a job with once-listeners: its node, what its items have come to, and the instances, each with what it knows
 * of the calls that it has made. An instance is a session; the process behind it may outlive it and come back.
 */
final class OnceWorld extends World {
    static final int ITEMS = 2;
    static final int EVERY_ITEM = (1 << ITEMS) - 1;
    private static final Phase[] PHASES = Phase.values();
    private static final Share[] SHARES = Share.values();
    private static final Session[] SESSIONS = Session.values();
    private static final Call[] CALLS = Call.values();

    /** How far the fire's node says that it is. */
    enum Phase {
        /** There is no node yet. */
        NONE,
        BEGINNING,
        OPEN,
        CLOSING,
        /** The node is gone again. */
        ENDED
    }

    /** What an item's record says of the fire. */
    enum Share {
        /** Nothing: it may be due. */
        UNDECIDED,
        CLAIMED,
        /** It was left out, and the node knows nothing of that. */
        LEFT_OUT,
        ENDED
    }

    /** How an instance is. */
    enum Session {
        LIVE,
        /** Its session has ended, and its process doesn't know. */
        LOST,
        /** The process has another session, in which it ends what it was inside of. */
        BACK,
        DEAD
    }

    /** How far one of an instance's calls is. */
    enum Call {
        NONE,
        INSIDE,
        RETURNED
    }

    /** The part of one item. */
    static final class Item {
        Share share = Share.UNDECIDED;
        /** Who has claimed it: an instance's number. */
        int owner;
        /** Whether its code runs, in a session that lives. */
        boolean code;

        void lay(Cells cells, int instances) {
            share = cells.one(share, SHARES);
            owner = cells.number(owner, instances);
            code = cells.flag(code);
        }
    }

    /** An instance that hosts the job. */
    static final class Instance {
        final int number;
        /** Whether it has the listener's code. */
        final boolean listens;

        Session session = Session.LIVE;
        Call before = Call.NONE;
        Call after = Call.NONE;

        Instance(int number, boolean listens) {
            this.number = number;
            this.listens = listens;
        }

        void lay(Cells cells) {
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
    /** Items still to end, by the node: bits. */
    int left;
    /** Who is to call, by the node: 0 is nobody, otherwise one more than the instance's number. */
    int caller;

    final Item[] items = new Item[ITEMS];
    final Instance[] instances;

    /** The first state: nothing of the fire has been claimed. */
    OnceWorld(OnceModel.Scenario scenario) {
        for (int i = 0; i < ITEMS; i++) {
            items[i] = new Item();
        }
        instances = new Instance[scenario.instances()];
        for (int i = 0; i < instances.length; i++) {
            instances[i] = new Instance(i, i < scenario.listening());
        }
    }

    /** Whether nobody who lives is inside of the phase's call: the node names nobody, or one who is gone. */
    boolean callerGone() {
        return caller == 0 || !instances[caller - 1].live();
    }

    boolean names(Instance instance) {
        return caller == instance.number + 1;
    }

    /** Whether an instance whose session lives is inside of the call before, or after, the fire. */
    boolean inside(boolean before) {
        for (Instance each : instances) {
            if (each.live() && (before ? each.before : each.after) == Call.INSIDE) {
                return true;
            }
        }
        return false;
    }

    /** Whether another one whose session lives is inside of the call after the fire. */
    boolean insideOther(Instance instance) {
        for (Instance each : instances) {
            if (each.number != instance.number && each.live() && each.after == Call.INSIDE) {
                return true;
            }
        }
        return false;
    }

    @Override
    void lay(Cells cells) {
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
