package io.ostraka.faults.model;

import java.util.Arrays;

/**
 * State of {@link HistoryModel}: the claims of one item, the item's record, the reports about them,
 * and the rows of the history.
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
        /** Another instance has recorded the end, because the owner was gone. */
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
        /** The owner reports that another instance has the item. */
        FENCED,
        /** An instance reports an end that it has read in the record. */
        RECORD,
        /** An instance reports that it has claimed the fire again. */
        TAKEN,
        /** An instance reports that it has ended the fire of an owner that was gone. */
        LOST;

        boolean fenced() {
            return this == FENCED || this == TAKEN || this == LOST;
        }

        /** Returns whether the claim has decided its fire according to this report. */
        boolean decidesFire() {
            return this == OWNER || this == RECORD || this == LOST;
        }
    }

    /** Progress of a run in its process. */
    enum Stage {
        NONE,
        CODE,
        /** The code has returned, and the end is not recorded. */
        RETURNED,
        /** The end was recorded, and the process got no reply. */
        UNANSWERED
    }

    /** Process with the reports that would be lost with it. */
    final class Process {
        Stage stage = Stage.NONE;
        /** Claim whose code the process runs; 0 for none. */
        int runs;
        /** True if the process has read the present record, or has written it. */
        boolean current;
        /** True if the process has read the record before. */
        boolean tookUp;
        /** Reports that are not safe, by claim and report. */
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
        /** Report whose facts about the run the row contains. */
        Report facts = Report.OWNER;
        /** Report that says whether the claim was fenced and whether it has decided its fire. */
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
    /** True if a process reports only the ends in the first record that it reads. */
    private final boolean firstReadOnly;

    /** Number of the claim in the record; 0 before the first claim. */
    int run;
    /** True while the record's claim has not ended. */
    boolean running;
    /** True while the item's running node exists. */
    boolean node;
    /** Number of the claim that the record shows as its previous one; 0 for none. */
    int previous;
    /** Number of the last claim before ZooKeeper was restored and its transaction numbers began again; 0 for none. */
    int restoredAt;

    final Fate[] fates;
    /** True if a report of the record or of a taker has reached the row, by claim. */
    final boolean[] told;

    final Row[] rows;
    /** Process that owns the item. */
    final Process owner;
    /** Process that owned the item before, or that has lost its session. */
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

    /** Returns the row under the key of a claim. The row may describe another claim with the same key. */
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
