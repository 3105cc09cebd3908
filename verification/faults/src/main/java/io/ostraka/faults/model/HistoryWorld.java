package io.ostraka.faults.model;

import java.util.Arrays;

/**
 * State of {@link HistoryModel}: the claims of one item, the item's record, the reports about the claims, and the rows
 * of the history.
 */
final class HistoryWorld extends World {
    private static final Fate[] FATES = Fate.values();
    private static final Report[] REPORTS = Report.values();
    private static final Stage[] STAGES = Stage.values();

    /** Fate of a claim. */
    enum Fate {
        NONE,
        OPEN,
        /** The owner has recorded the end. */
        ENDED,
        /** Another instance has recorded the end, because the owner had died or lost its session. */
        LOST,
        /** Another instance has claimed the fire again. */
        TAKEN;

        boolean decidesFire() {
            return this == ENDED || this == LOST;
        }
    }

    /** Report about a claim. */
    enum Report {
        /** The owner reports that the code has returned. */
        OWNER,
        /** The owner reports that it no longer owns the item. */
        FENCED,
        /** An instance reports an end that it has read in the record. */
        RECORD,
        /** An instance reports that it has claimed the fire again. */
        TAKEN,
        /** An instance reports that it has ended the fire of a former owner, which had died or lost its session. */
        LOST;

        boolean fenced() {
            return this == FENCED || this == TAKEN || this == LOST;
        }

        /** Returns whether this report says that the claim has decided its fire. */
        boolean decidesFire() {
            return this == OWNER || this == RECORD || this == LOST;
        }
    }

    /** Progress of a run in its process. */
    enum Stage {
        NONE,
        CODE,
        /** The code has returned, but the end is not recorded yet. */
        RETURNED,
        /** The end was recorded, but the process has received no reply. */
        UNANSWERED
    }

    /** A process, with the reports that are lost if it dies. */
    final class Process {
        Stage stage = Stage.NONE;
        /** Claim whose code the process runs; 0 for none. */
        int runs;
        /** True if the process has read the present record, or has written it. */
        boolean current;
        /** True if the process has read the record at least once. */
        boolean tookUp;
        /** Reports that are not safe yet, by claim and kind. */
        final boolean[][] pending = new boolean[claims + 1][REPORTS.length];

        void lay(PackedState cells) {
            stage = cells.one(stage, STAGES);
            runs = cells.number(runs, claims + 1);
            current = cells.flag(current);
            tookUp = cells.flag(tookUp);
            for (int claim = 1; claim <= claims; claim++) {
                for (int report = 0; report < REPORTS.length; report++) {
                    pending[claim][report] = cells.flag(pending[claim][report]);
                }
            }
        }

        void report(int claim, Report report) {
            pending[claim][report.ordinal()] = true;
        }

        boolean hasPending(int claim) {
            for (boolean each : pending[claim]) {
                if (each) {
                    return true;
                }
            }
            return false;
        }

        boolean idle() {
            boolean reports = false;
            for (int claim = 1; claim <= claims; claim++) {
                reports |= hasPending(claim);
            }
            return stage == Stage.NONE && !reports;
        }

        void forget() {
            stage = Stage.NONE;
            runs = 0;
            current = false;
            tookUp = false;
            for (boolean[] reports : pending) {
                Arrays.fill(reports, false);
            }
        }

        void set(Process from) {
            stage = from.stage;
            runs = from.runs;
            current = from.current;
            tookUp = from.tookUp;
            for (int claim = 1; claim <= claims; claim++) {
                System.arraycopy(from.pending[claim], 0, pending[claim], 0, REPORTS.length);
            }
        }
    }

    /** Row of a claim. */
    final class Row {
        /** Claim that the row describes; 0 if the row does not exist. */
        int claim;
        /** Report from which the facts about the run in this row come. */
        Report facts = Report.OWNER;
        /** Report that determines whether the claim was fenced, and whether it has decided its fire. */
        Report decision = Report.OWNER;

        void lay(PackedState cells) {
            claim = cells.number(claim, claims + 1);
            facts = cells.one(facts, REPORTS);
            decision = cells.one(decision, REPORTS);
        }
    }

    /** Largest number of claims. */
    final int claims;
    /** True if rows are identified by the fencing token of the claim. */
    private final boolean tokens;
    /** True if a process reports ends only from the first record that it reads. */
    private final boolean firstReadOnly;

    /** Number of the claim in the record; 0 before the first claim. */
    int run;
    /** True while the record's claim has not ended. */
    boolean running;
    /** True while the item's running node exists. */
    boolean node;
    /** Number of the previous claim in the record; 0 for none. */
    int previous;
    /**
     * Number of the last claim before ZooKeeper was restored from a backup, which made transaction numbers begin again;
     * 0 for none.
     */
    int restoredAt;

    final Fate[] fates;
    /** For each claim, true if a report of the kind RECORD, TAKEN or LOST has reached its row. */
    final boolean[] told;

    final Row[] rows;
    /** Process that owns the item. */
    final Process owner;
    /** Former owner: the process from which the item has moved, or whose session has ended. */
    final Process former;

    HistoryWorld(int claims, boolean tokens, boolean firstReadOnly) {
        this.claims = claims;
        this.tokens = tokens;
        this.firstReadOnly = firstReadOnly;
        fates = new Fate[claims + 1];
        Arrays.fill(fates, Fate.NONE);
        told = new boolean[claims + 1];
        rows = new Row[claims + 1];
        for (int claim = 0; claim <= claims; claim++) {
            rows[claim] = new Row();
        }
        owner = new Process();
        former = new Process();
    }

    /** Returns the row with the key of a claim. The row may describe another claim that has the same key. */
    Row row(int claim) {
        return rows[tokens && claim > restoredAt ? claim - restoredAt : claim];
    }

    boolean hasRow(int claim) {
        return row(claim).claim == claim;
    }

    /** Returns whether no report is pending, no code runs, and the owner has read the record of the ended run. */
    boolean settled() {
        return !running && owner.current && owner.idle() && former.idle();
    }

    @Override
    void lay(PackedState cells) {
        run = cells.number(run, claims + 1);
        running = cells.flag(running);
        node = cells.flag(node);
        previous = cells.number(previous, claims + 1);
        restoredAt = cells.number(restoredAt, claims + 1);
        for (int claim = 1; claim <= claims; claim++) {
            fates[claim] = cells.one(fates[claim], FATES);
            told[claim] = cells.flag(told[claim]);
            rows[claim].lay(cells);
        }
        owner.lay(cells);
        former.lay(cells);
    }

    @Override
    void normalise() {
        restoredAt = tokens ? restoredAt : 0; // nothing else depends on the tokens
        owner.tookUp &= firstReadOnly;
        former.current = false;
        former.tookUp = false;
    }
}
