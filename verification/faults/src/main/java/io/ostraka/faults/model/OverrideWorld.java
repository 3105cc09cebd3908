package io.ostraka.faults.model;

/**
 * State of {@link OverrideModel}: two fields of a job's override, the server's clock, the leader's view, and one
 * command of an operator.
 */
final class OverrideWorld extends World {
    static final int FIELDS = 2;
    /** Value that stands for the end of a field that is not overridden. */
    static final int ABSENT = 0;

    private static final Stage[] STAGES = Stage.values();
    private static final Command[] COMMANDS = Command.values();

    /** Progress of a pass of the leader. */
    enum Stage {
        NONE,
        READ,
        /** The leader has decided which fields have ended, and sends the request. */
        DECIDED
    }

    /** Progress of an operator's command. */
    enum Command {
        NONE,
        /** The operator must read the override. */
        READ,
        /** The operator has sent a request, and the override has not changed since the operator read it. */
        SENT,
        /** The server has executed the request; the reply is under way. */
        EXECUTED
    }

    /** Content of the node. */
    static final class Content {
        private final int ends;
        /** End of each field by the server's clock; {@code ends + 1} for a field without an end. */
        final int[] until = new int[FIELDS];
        /** True if the node contains the id of the operator's present command. */
        boolean listed;

        Content(int ends) {
            this.ends = ends;
        }

        void lay(PackedState cells) {
            for (int field = 0; field < FIELDS; field++) {
                until[field] = cells.number(until[field], ends + 2);
            }
            listed = cells.flag(listed);
        }

        void set(Content from) {
            System.arraycopy(from.until, 0, until, 0, FIELDS);
            listed = from.listed;
        }

        /** Returns the fields whose end has passed, as bits. */
        int ended(int now) {
            int ended = 0;
            for (int field = 0; field < FIELDS; field++) {
                ended |= until[field] != ABSENT && until[field] <= now ? 1 << field : 0;
            }
            return ended;
        }
    }

    /** View of a leader. */
    static final class View {
        private final int ends;
        Stage stage = Stage.NONE;
        /** True if the node has not changed since the leader read it. */
        boolean current;
        /** True if the job has been purged since the read. The new job's node may then reach the same version. */
        boolean ofPurged;

        final Content content;
        /** Fields that the leader reverts, as bits. */
        int ended;

        View(int ends) {
            this.ends = ends;
            content = new Content(ends);
        }

        void lay(PackedState cells) {
            stage = cells.one(stage, STAGES);
            current = cells.flag(current);
            ofPurged = cells.flag(ofPurged);
            content.lay(cells);
            ended = cells.number(ended, 1 << FIELDS);
        }

        void set(View from) {
            stage = from.stage;
            current = from.current;
            ofPurged = from.ofPurged;
            content.set(from.content);
            ended = from.ended;
        }

        void forget() {
            set(new View(ends));
        }
    }

    /** Number of the last possible end. */
    final int ends;
    /** True if the server refuses a leader's write that was decided from an outdated version. */
    private final boolean versioned;

    /** Time on the server's clock. */
    int now;
    /** True if the leader has written a plan of the job. */
    boolean planned = true;
    /** True if the node exists. */
    boolean exists;

    final Content node;
    final View leader;
    /**
     * View of a former leader; or the view that led to a write of the leader whose reply was lost. The server may still
     * execute such a write late.
     */
    final View former;

    Command command = Command.NONE;
    /** Field that the command changes. */
    int field;
    /** End that the command sets; {@link #ABSENT} if it reverts the field. */
    int wanted;
    /** True if an earlier request of the command got no reply. The server may still execute that request. */
    boolean late;
    /** True if the command has already taken effect. */
    boolean tookEffect;

    OverrideWorld(int ends, boolean versioned) {
        this.ends = ends;
        this.versioned = versioned;
        node = new Content(ends);
        leader = new View(ends);
        former = new View(ends);
    }

    /** Returns whether an operator may set this end now. */
    boolean accepts(int end) {
        return end == ABSENT || end > now;
    }

    /** Marks the views of leaders and operators as outdated after a write of the node. */
    void written() {
        exists = true;
        leader.current = false;
        former.current = false;
        late = false;
        if (command == Command.SENT) {
            command = Command.READ; // the server would refuse the request, so the operator reads again
        }
    }

    /** Deletes the job's nodes, and registers the job again. */
    void purge() {
        written();
        exists = false;
        planned = false;
        tookEffect = false;
        node.set(new Content(ends));
        leader.ofPurged = true;
        former.ofPurged = true;
    }

    static String name(int field) {
        return "field " + (char) ('P' + field);
    }

    /** Returns the description of a change. */
    String described(int changed, int end) {
        return end == ABSENT
                ? "take back " + name(changed)
                : "override " + name(changed) + (end > ends ? "" : " until " + end);
    }

    @Override
    void lay(PackedState cells) {
        now = cells.number(now, ends + 1);
        planned = cells.flag(planned);
        exists = cells.flag(exists);
        node.lay(cells);
        leader.lay(cells);
        former.lay(cells);
        command = cells.one(command, COMMANDS);
        field = cells.number(field, FIELDS);
        wanted = cells.number(wanted, ends + 2);
        late = cells.flag(late);
        tookEffect = cells.flag(tookEffect);
    }

    @Override
    void normalise() {
        if (command == Command.NONE) { // a new command has a new id, which no earlier content contains
            field = 0;
            wanted = 0;
            late = false;
            tookEffect = false;
            node.listed = false;
            leader.content.listed = false;
            former.content.listed = false;
        }
        normalise(leader);
        normalise(former);
    }

    /** Clears a view from which no decided write could succeed, because the server would refuse it. */
    private void normalise(View view) {
        if (view.stage == Stage.NONE || (versioned && !view.current && !view.ofPurged)) {
            view.forget();
        }
    }
}
