package io.ostraka.core.run;

import io.ostraka.api.metrics.Load;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Places for runs, so many at once. Who asks for more than there are is told when there is one, each in turn, and a place is
 * kept for whoever was told: nobody overtakes. Nothing waits here: what has no place is not begun, and stays what it is,
 * due. Thread-safe.
 */
public final class Room {
    private final int size;
    private final Watch watch;
    private final Deque<Guest> waiting = new ArrayDeque<>();
    private int taken;
    private int largestTaken;
    private long completed;
    private int kept;
    private boolean saturated;

    /** Told when a room has become too small for what is asked of it, and when it is large enough again. */
    interface Watch {
        void saturated(boolean now);
    }

    /**
     * Makes a room.
     *
     * @param size how many places, from 1
     * @param watch told on any thread, perhaps while a lock is held: must only take note
     */
    Room(int size, Watch watch) {
        if (size < 1) {
            throw new IllegalArgumentException("a room has " + size + " places; accepted: 1 or more");
        }
        this.size = size;
        this.watch = watch;
    }

    /**
     * Returns somebody who may ask for places.
     *
     * @param told on any thread, when a place is kept for it; must only enqueue something that calls {@link Guest#take}
     */
    public Guest guest(Runnable told) {
        return new Guest(told);
    }

    /** One who asks for places. */
    public final class Guest {
        private final Runnable told;
        private int mine;
        private boolean waits;

        private Guest(Runnable told) {
            this.told = told;
        }

        /**
         * Takes places, those first that were kept for it. If it gets fewer than it wants, it is told when there are more;
         * if it wants none, it is not told any more.
         *
         * @param wanted how many, from 0
         * @return how many it got; each is to be {@linkplain Room#release released} once
         */
        public int take(int wanted) {
            List<Guest> invited;
            int got;
            synchronized (Room.this) {
                got = Math.min(mine, wanted);
                kept -= mine;
                mine = 0;
                if (waiting.isEmpty() || (waits && waiting.size() == 1)) {
                    got += Math.max(0, Math.min(wanted - got, size - taken - kept - got));
                }
                taken(got);
                if (got < wanted) {
                    if (!waits) {
                        waits = true;
                        waiting.add(this);
                    }
                    saturation(true);
                } else if (waits) {
                    waits = false;
                    waiting.remove(this);
                }
                invited = invite();
            }
            invited.forEach(guest -> guest.told.run());
            return got;
        }

        /**
         * Asks for a place before it knows how many it wants.
         *
         * @return whether one is kept for it; if not, it is told when one is
         */
        public boolean knock() {
            synchronized (Room.this) {
                if (mine == 0 && !waits) {
                    if (waiting.isEmpty() && taken + kept < size) {
                        mine++;
                        kept++;
                    } else {
                        waits = true;
                        waiting.add(this);
                        saturation(true);
                    }
                }
                return mine > 0;
            }
        }

        /** Gives back what was kept for it, and asks for nothing more. */
        public void leave() {
            take(0);
        }

        /** Tells whether it will be told of a place. */
        public boolean waits() {
            synchronized (Room.this) {
                return waits || mine > 0;
            }
        }

        /** Returns the room that it asks. */
        public Room room() {
            return Room.this;
        }
    }

    /** Takes a place whether there is one or not, for what has begun already. */
    public synchronized void squeezeIn() {
        taken(1);
    }

    /** Gives a place back. */
    public void release() {
        List<Guest> invited;
        synchronized (this) {
            taken--;
            completed++;
            invited = invite();
        }
        invited.forEach(guest -> guest.told.run());
    }

    private void taken(int more) {
        taken += more;
        largestTaken = Math.max(largestTaken, taken);
    }

    /** How full it is. */
    synchronized Load.Room load() {
        return new Load.Room(size, taken, largestTaken, waiting.size(), completed);
    }

    /** How many places are taken. */
    public synchronized int taken() {
        return taken;
    }

    /** How many ask for places in vain. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** How many places there are. */
    public int size() {
        return size;
    }

    private List<Guest> invite() {
        List<Guest> invited = new ArrayList<>();
        while (taken + kept < size && !waiting.isEmpty()) {
            Guest next = waiting.remove();
            next.waits = false;
            next.mine++;
            kept++;
            invited.add(next);
        }
        if (taken + kept < size) {
            saturation(false);
        }
        return invited;
    }

    private void saturation(boolean now) {
        if (saturated != now) {
            saturated = now;
            watch.saturated(now);
        }
    }
}
