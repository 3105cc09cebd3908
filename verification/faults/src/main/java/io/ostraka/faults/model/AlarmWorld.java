package io.ostraka.faults.model;

/**
 * State of {@link AlarmModel}: the cause of an alarm, the digest in which the item's owner publishes it, the alarms in
 * their node, the messages that users have received, the view of the leader, and a write of a former leader.
 */
final class AlarmWorld extends World {
    private static final State[] STATES = State.values();

    /** State of an alarm in the node. */
    enum State {
        NONE,
        FIRING,
        RESOLVED
    }

    /** An alarm in the node. */
    static final class Entry {
        State state = State.NONE;
        /** True if the node shows that users have received the beginning. */
        boolean told;
        /** True if the node shows that users have received the end. */
        boolean toldEnd;

        void set(Entry from) {
            state = from.state;
            told = from.told;
            toldEnd = from.toldEnd;
        }

        /** Returns the state that users must learn next; {@code NONE} if there is none. */
        State due() {
            if (state == State.NONE || (told && (state == State.FIRING || toldEnd))) {
                return State.NONE;
            }
            return told ? State.RESOLVED : State.FIRING;
        }

        boolean same(Entry other) {
            return state == other.state && told == other.told && toldEnd == other.toldEnd;
        }

        void lay(PackedState cells) {
            state = cells.one(state, STATES);
            told = cells.flag(told);
            toldEnd = cells.flag(toldEnd);
        }
    }

    /**
     * Content of the node: one alarm for each time span (episode) in which the cause held. Episodes are numbered from
     * 1.
     */
    static final class Content {
        final Entry[] alarms;

        Content(int episodes) {
            alarms = new Entry[episodes];
            for (int i = 0; i < episodes; i++) {
                alarms[i] = new Entry();
            }
        }

        Entry alarm(int episode) {
            return alarms[episode - 1];
        }

        void set(Content from) {
            for (int i = 0; i < alarms.length; i++) {
                alarms[i].set(from.alarms[i]);
            }
        }

        boolean same(Content other) {
            for (int i = 0; i < alarms.length; i++) {
                if (!alarms[i].same(other.alarms[i])) {
                    return false;
                }
            }
            return true;
        }

        /** Returns the number of the alarm that has not ended; 0 if there is none. */
        int firing() {
            for (int episode = alarms.length; episode > 0; episode--) {
                if (alarm(episode).state == State.FIRING) {
                    return episode;
                }
            }
            return 0;
        }

        void forget() {
            for (Entry alarm : alarms) {
                alarm.set(new Entry());
            }
        }

        void lay(PackedState cells) {
            for (Entry alarm : alarms) {
                alarm.lay(cells);
            }
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            for (int episode = 1; episode <= alarms.length; episode++) {
                Entry alarm = alarm(episode);
                if (alarm.state != State.NONE) {
                    text.append(text.isEmpty() ? "" : ", ")
                            .append(alarm.state)
                            .append(' ')
                            .append(episode)
                            .append(alarm.due() == State.NONE ? " (delivered)" : "");
                }
            }
            return text.isEmpty() ? "no alarm" : text.toString();
        }
    }

    final int episodes;
    /** Number of the latest time span in which the cause holds; 0 before the first. */
    int episode;

    boolean holds;
    /** True if the owner no longer publishes anything although its session is alive. */
    boolean wedged;
    /** Episode of the cause in the digest; 0 if the digest shows no cause. */
    int published;

    final Content node;
    /** Alarms whose beginning users have learned, as bits. */
    int begun;
    /** Alarms whose end users have learned, as bits. */
    int ended;

    /** True if there is a leader that has read the node. */
    boolean leads;
    /** The node as the leader last read or wrote it. */
    final Content seen;
    /** True if the leader has read the records since it became leader. */
    boolean causeKnown;
    /** Cause as the leader last read it; 0 for none. */
    int cause;
    /** True if a write of the leader is under way. */
    boolean writing;

    final Content write;
    /** Alarm whose delivery the leader must still record in the node; 0 for none. */
    int toMark;

    State marked = State.NONE;

    /** True if the server may still execute a write of a former leader. */
    boolean late;

    final Content lateWrite;

    AlarmWorld(int episodes) {
        this.episodes = episodes;
        this.node = new Content(episodes);
        this.seen = new Content(episodes);
        this.write = new Content(episodes);
        this.lateWrite = new Content(episodes);
    }

    static boolean received(int messages, int episode) {
        return (messages & 1 << episode) != 0;
    }

    /** Clears the view of the leader, whose term ends. */
    void forgetLeader() {
        leads = false;
        seen.forget();
        causeKnown = false;
        cause = 0;
        forgetWrite();
        forgetMark();
    }

    void forgetMark() {
        toMark = 0;
        marked = State.NONE;
    }

    void forgetLate() {
        late = false;
        lateWrite.forget();
    }

    void forgetWrite() {
        writing = false;
        write.forget();
    }

    @Override
    void lay(PackedState cells) {
        episode = cells.number(episode, episodes + 1);
        holds = cells.flag(holds);
        wedged = cells.flag(wedged);
        published = cells.number(published, episodes + 1);
        node.lay(cells);
        begun = cells.number(begun, 2 << episodes);
        ended = cells.number(ended, 2 << episodes);
        leads = cells.flag(leads);
        seen.lay(cells);
        causeKnown = cells.flag(causeKnown);
        cause = cells.number(cause, episodes + 1);
        writing = cells.flag(writing);
        write.lay(cells);
        toMark = cells.number(toMark, episodes + 1);
        marked = cells.one(marked, STATES);
        late = cells.flag(late);
        lateWrite.lay(cells);
    }
}
