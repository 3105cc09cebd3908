package io.ostraka.faults.model;

/**
 * State of {@link AlarmModel}: the cause of an alarm, the digest in which the item's owner publishes it, the alarm's
 * node, the messages that users have received, and the views of two leaders.
 */
final class AlarmWorld extends World {
    private static final State[] STATES = State.values();
    private static final Digest[] DIGESTS = Digest.values();
    private static final Stage[] STAGES = Stage.values();

    /** State of an alarm in its node. */
    enum State {
        NONE,
        FIRING,
        RESOLVED
    }

    /** Content of the owner's digest. */
    enum Digest {
        /** The present owner has published no digest. */
        MISSING,
        /** The digest does not contain the job, because it is too large. */
        TRUNCATED,
        /** The digest says that there is no cause, or names the cause. */
        COMPLETE
    }

    /** Progress of a leader's step. */
    enum Stage {
        NONE,
        /** The leader has read the digest or the record, and not the node. */
        CAUSE_READ,
        READ,
        /** The leader has decided a new content of the node. */
        WRITING,
        /** The leader knows of a message that users have not received, as far as the node shows. */
        DELIVERING,
        /** Users have received the message, and the node does not show it yet. */
        MARKING
    }

    /** Content of the alarm's node. Alarms are numbered from 1. */
    static final class Content {
        State state = State.NONE;
        int id;
        /** True if users have received the message about this state. */
        boolean marked;
        /** True if the leader found the cause in the records, and not in a digest. */
        boolean byLeader;

        void set(Content from) {
            set(from.state, from.id, from.marked, from.byLeader);
        }

        void set(State nextState, int nextId, boolean nextMarked, boolean nextByLeader) {
            state = nextState;
            id = nextId;
            marked = nextMarked;
            byLeader = nextByLeader;
        }

        void forget() {
            set(State.NONE, 0, false, false);
        }

        void lay(PackedState cells, int ids) {
            state = cells.one(state, STATES);
            id = cells.number(id, ids);
            marked = cells.flag(marked);
            byLeader = cells.flag(byLeader);
        }

        @Override
        public String toString() {
            return state == State.NONE ? "no alarm" : state + " " + id + (marked ? ", marked" : "");
        }
    }

    /** View of a leader, or a write of a leader that the server may still execute. */
    static final class View {
        Stage stage = Stage.NONE;
        /** True if the node has not changed since this leader has read or written it. */
        boolean current;

        final Content node = new Content();
        /** The write that is under way. */
        final Content write = new Content();

        Digest digest = Digest.MISSING;
        /** Cause in the digest or the records; 0 for none. */
        int cause;
        /** True if the leader has read the item's record in place of the digest. */
        boolean fromRecord;

        void forget() {
            stage = Stage.NONE;
            current = false;
            node.forget();
            write.forget();
            digest = Digest.MISSING;
            cause = 0;
            fromRecord = false;
        }

        void set(View from) {
            stage = from.stage;
            current = from.current;
            node.set(from.node);
            write.set(from.write);
            digest = from.digest;
            cause = from.cause;
            fromRecord = from.fromRecord;
        }

        void lay(PackedState cells, int ids) {
            stage = cells.one(stage, STAGES);
            current = cells.flag(current);
            node.lay(cells, ids);
            write.lay(cells, ids);
            digest = cells.one(digest, DIGESTS);
            cause = cells.number(cause, ids);
            fromRecord = cells.flag(fromRecord);
        }
    }

    private final int episodes;
    /** Number of the latest time span in which the cause holds; 0 before the first. */
    int episode;

    boolean holds;
    /** True if the item has moved since the cause began. */
    boolean moved;
    /** True if the owner no longer evaluates its items, although its session lives. */
    boolean wedged;

    Digest digest = Digest.MISSING;
    /** Cause in the digest; 0 for none. */
    int published;

    final Content node = new Content();
    /** Messages about the beginning of alarms that users have received, as bits. */
    int begun;
    /** Messages about the end of alarms that users have received, as bits. */
    int ended;

    final View leader = new View();
    final View former = new View();

    AlarmWorld(int episodes) {
        this.episodes = episodes;
    }

    private int ids() {
        return 2 * episodes + 1;
    }

    /** Returns the alarm of an episode as the item's record identifies it. */
    int first() {
        return episode;
    }

    /** Returns the alarm of the present episode if an owner identified it by the time at which it has noticed it. */
    int renamed() {
        return moved ? episode + episodes : episode;
    }

    boolean received(int messages, int id) {
        return (messages & 1 << id) != 0;
    }

    /** Returns the other possible id of the same episode. */
    int twin(int id) {
        return id > episodes ? id - episodes : id + episodes;
    }

    /** Returns the episode of an alarm; 0 for no alarm. The beginning of the cause shows the order of the episodes. */
    int episodeOf(int id) {
        return id > episodes ? id - episodes : id;
    }

    /** Returns whether an alarm belongs to the present episode. */
    boolean isPresent(int id) {
        return holds && episodeOf(id) == episode;
    }

    @Override
    void lay(PackedState cells) {
        episode = cells.number(episode, episodes + 1);
        holds = cells.flag(holds);
        moved = cells.flag(moved);
        wedged = cells.flag(wedged);
        digest = cells.one(digest, DIGESTS);
        published = cells.number(published, ids());
        node.lay(cells, ids());
        begun = cells.number(begun, 1 << ids());
        ended = cells.number(ended, 1 << ids());
        leader.lay(cells, ids());
        former.lay(cells, ids());
    }
}
