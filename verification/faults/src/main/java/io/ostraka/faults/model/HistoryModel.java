package io.ostraka.faults.model;

import io.ostraka.faults.model.HistoryWorld.Fate;
import io.ostraka.faults.model.HistoryWorld.Process;
import io.ostraka.faults.model.HistoryWorld.Report;
import io.ostraka.faults.model.HistoryWorld.Row;
import io.ostraka.faults.model.HistoryWorld.Stage;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Model of the history of one item. Processes report claims and their ends. Each claim has a row, which combines the
 * reports about it in any order. A report is lost with its process until it is safe. If the spool survives the process,
 * a report is safe once it is in the spool; otherwise, once it is in the database.
 */
final class HistoryModel implements Model<HistoryWorld> {
    private static final Report[] REPORTS = Report.values();

    /**
     * Size of the model.
     *
     * @param claims largest number of claims
     * @param inTime true if a process claims a fire only when its reports about all claims of the item except the
     *     latest are safe. The engine does not wait for its reports; this is only the assumption under which no row can
     *     be missing
     */
    record Scenario(int claims, boolean inTime) {}

    private final Scenario scenario;
    private final Set<Rule> without;

    HistoryModel(Scenario scenario, Set<Rule> without) {
        this.scenario = scenario;
        this.without = without.isEmpty() ? EnumSet.noneOf(Rule.class) : EnumSet.copyOf(without);
    }

    private boolean keeps(Rule rule) {
        return !without.contains(rule);
    }

    @Override
    public HistoryWorld first() {
        return new HistoryWorld(scenario.claims, !keeps(Rule.ROW_OF_NONCE), !keeps(Rule.ENDS_OF_EVERY_READ));
    }

    @Override
    public void steps(HistoryWorld now, Steps<HistoryWorld> steps) {
        Process owner = now.owner;
        if (!owner.current) {
            read(steps);
        } else if (owner.stage == Stage.NONE) {
            if (!now.running) {
                claim(now, steps);
            } else if (!now.node) {
                takeOver(now, steps);
            }
        }
        run(now, owner, "the owner", steps);
        run(now, now.former, "the former owner", steps);
        leave(now, steps);
        if (!now.running && now.run > 0 && now.restoredAt == 0 && !keeps(Rule.ROW_OF_NONCE)) {
            HistoryWorld next = steps.next();
            next.restoredAt = now.run;
            steps.takeFault(next, () -> "ZooKeeper is restored, and its transaction numbers begin again");
        }
    }

    private static Process of(HistoryWorld now, Process process, HistoryWorld next) {
        return process == now.owner ? next.owner : next.former;
    }

    // ---- the record

    private void read(Steps<HistoryWorld> steps) {
        HistoryWorld next = steps.next();
        Process owner = next.owner;
        if (!owner.tookUp || keeps(Rule.ENDS_OF_EVERY_READ)) {
            if (next.run > 0 && !next.running) {
                reportRead(next, next.run);
            }
            if (next.previous > 0) {
                reportRead(next, next.previous);
            }
        }
        owner.current = true;
        owner.tookUp = true;
        done(next, steps, "the owner reads the record and reports its ends");
    }

    private static void reportRead(HistoryWorld next, int claim) {
        if (!next.told[claim] && !next.owner.pending[claim][Report.OWNER.ordinal()]) {
            next.owner.report(claim, Report.RECORD);
        }
    }

    private void claim(HistoryWorld now, Steps<HistoryWorld> steps) {
        if (mayClaim(now)) {
            HistoryWorld next = steps.next();
            claimNext(next);
            done(next, steps, "the owner claims fire " + next.run);
        }
    }

    private boolean mayClaim(HistoryWorld now) {
        boolean inTime = true;
        for (int earlier = 1; earlier < now.run; earlier++) {
            inTime &= !now.owner.hasPending(earlier);
        }
        boolean waits = scenario.inTime && keeps(Rule.REPORTS_IN_TIME);
        return now.run < scenario.claims && (inTime || !waits);
    }

    private void claimNext(HistoryWorld next) {
        boolean ended = next.run > 0 && next.fates[next.run].decidesFire();
        if (!keeps(Rule.PREVIOUS_RUN)) {
            next.previous = 0;
        } else if (ended) {
            next.previous = next.run;
        } else if (!keeps(Rule.PREVIOUS_AT_TAKEOVER)) {
            next.previous = 0;
        }
        next.run++;
        next.running = true;
        next.node = true;
        next.fates[next.run] = Fate.OPEN;
        next.owner.stage = Stage.CODE;
        next.owner.runs = next.run;
    }

    private void takeOver(HistoryWorld now, Steps<HistoryWorld> steps) {
        if (now.run < scenario.claims) {
            HistoryWorld next = steps.next();
            next.fates[next.run] = Fate.TAKEN;
            next.owner.report(next.run, Report.TAKEN);
            claimNext(next);
            done(next, steps, "the owner takes claim " + now.run + " over");
        }
        HistoryWorld next = steps.next();
        next.fates[next.run] = Fate.LOST;
        next.running = false;
        next.owner.report(next.run, Report.LOST);
        done(next, steps, "the owner records that claim " + now.run + " was interrupted");
    }

    // ---- the run

    private void run(HistoryWorld now, Process process, String who, Steps<HistoryWorld> steps) {
        int claim = process.runs;
        switch (process.stage) {
            case NONE -> {}
            case CODE -> {
                HistoryWorld next = steps.next();
                of(now, process, next).stage = Stage.RETURNED;
                of(now, process, next).report(claim, Report.OWNER);
                done(next, steps, who + " reports the end of claim " + claim);
            }
            case RETURNED -> complete(now, process, who, steps);
            case UNANSWERED -> {
                HistoryWorld next = steps.next();
                if (now.run != claim || now.fates[claim] != Fate.ENDED) {
                    of(now, process, next).report(claim, Report.FENCED);
                }
                returned(of(now, process, next));
                done(next, steps, who + " reads the record of claim " + now.run + " after the lost reply");
            }
        }
        deliverFirst(now, process, who, steps);
    }

    /**
     * Makes the oldest report of a process safe. A process sends the reports about an item in the order of the claims.
     */
    private void deliverFirst(HistoryWorld now, Process process, String who, Steps<HistoryWorld> steps) {
        for (int claim = 1; claim <= now.run; claim++) {
            for (Report report : REPORTS) {
                if (process.pending[claim][report.ordinal()]) {
                    deliver(now, process, who, claim, report, steps);
                    return;
                }
            }
        }
    }

    private static void returned(Process process) {
        process.stage = Stage.NONE;
        process.runs = 0;
    }

    private void complete(HistoryWorld now, Process process, String who, Steps<HistoryWorld> steps) {
        int claim = process.runs;
        if (now.run != claim || !now.running) {
            HistoryWorld next = steps.next();
            of(now, process, next).report(claim, Report.FENCED);
            returned(of(now, process, next));
            done(next, steps, who + " learns that it has lost claim " + claim);
            return;
        }
        HistoryWorld alone = steps.next();
        end(alone);
        returned(of(now, process, alone));
        alone.owner.current &= process == now.owner;
        done(alone, steps, who + " records the end of claim " + claim);
        HistoryWorld unanswered = steps.next();
        end(unanswered);
        of(now, process, unanswered).stage = Stage.UNANSWERED;
        unanswered.owner.current = false;
        fault(unanswered, steps, who + " records the end of claim " + claim + " and gets no reply");
        if (process == now.owner && now.owner.current && mayClaim(now)) {
            HistoryWorld shared = steps.next();
            end(shared);
            claimNext(shared);
            done(shared, steps, who + " records the end of claim " + claim + " and claims the next fire");
        }
    }

    private static void end(HistoryWorld next) {
        next.fates[next.run] = Fate.ENDED;
        next.running = false;
        next.node = false;
    }

    // ---- the rows

    private void deliver(
            HistoryWorld now, Process process, String who, int claim, Report report, Steps<HistoryWorld> steps) {
        HistoryWorld next = steps.next();
        of(now, process, next).pending[claim][report.ordinal()] = false;
        Row row = next.row(claim);
        if (row.claim == 0) {
            row.claim = claim;
            row.facts = report;
            row.decision = report;
        } else {
            Report facts = facts(row.facts, report);
            Report decision = decision(row.decision, report);
            Report otherDecision = decision(report, row.decision);
            if (facts != facts(report, row.facts)
                    || decision.fenced() != otherDecision.fenced()
                    || decision.decidesFire() != otherDecision.decidesFire()) {
                next.violate("the row of claim " + claim + " depends on the order of its reports");
            }
            row.facts = facts;
            row.decision = decision;
        }
        next.told[claim] |= decides(report);
        if (next.told[claim] && row.decision.decidesFire() != next.fates[claim].decidesFire()) {
            next.violate("the row of claim " + claim + " contradicts the record about its fire");
        }
        done(next, steps, "the report " + report + " of " + who + " about claim " + claim + " is safe");
    }

    private Report facts(Report present, Report later) {
        boolean latest = !keeps(Rule.OWNER_FACTS);
        return latest || factsRank(later) > factsRank(present) ? later : present;
    }

    private static int factsRank(Report report) {
        return switch (report) {
            case FENCED -> 0;
            case TAKEN, LOST -> 1;
            case RECORD -> 2;
            case OWNER -> 3;
        };
    }

    private Report decision(Report present, Report later) {
        return decisionRank(later) > decisionRank(present) ? later : present;
    }

    private int decisionRank(Report report) {
        return switch (report) {
            case OWNER -> keeps(Rule.TAKER_DECIDES) ? 0 : 5;
            case FENCED -> keeps(Rule.RECORD_BEFORE_FENCED) ? 1 : 3;
            case RECORD -> 2;
            case TAKEN, LOST -> keeps(Rule.TAKER_BEFORE_RECORD) ? 4 : 2;
        };
    }

    // ---- faults

    private void leave(HistoryWorld now, Steps<HistoryWorld> steps) {
        HistoryWorld killed = steps.next();
        killed.node &= !holds(now, now.owner);
        killed.owner.forget();
        fault(killed, steps, "the owner is killed, and another process becomes the owner");
        if (now.former.idle() && now.owner.stage != Stage.NONE) {
            // the item of an owner without a run may move too, but this leaves only reports, which may be late anyway
            HistoryWorld moved = steps.next();
            moved.former.set(now.owner);
            moved.owner.forget();
            fault(moved, steps, "the item moves to another process during the run");
            if (holds(now, now.owner)) {
                HistoryWorld expired = steps.next();
                expired.former.set(now.owner);
                expired.owner.forget();
                expired.node = false;
                fault(expired, steps, "the owner's session ends during the run");
            }
        } else if (!now.former.idle()) {
            HistoryWorld gone = steps.next();
            gone.node &= !holds(now, now.former);
            gone.former.forget();
            fault(gone, steps, "the former owner is killed");
            if (holds(now, now.former)) {
                HistoryWorld expired = steps.next();
                expired.node = false;
                fault(expired, steps, "the session of the former owner ends while its code runs");
            }
        }
    }

    /** Returns whether the item's running node belongs to a process. */
    private static boolean holds(HistoryWorld now, Process process) {
        return now.node && process.runs == now.run;
    }

    // ---- invariants

    private void done(HistoryWorld next, Steps<HistoryWorld> steps, String what) {
        judge(next);
        forgetNeedless(next, next.owner);
        forgetNeedless(next, next.former);
        steps.take(next, () -> what);
    }

    private void fault(HistoryWorld next, Steps<HistoryWorld> steps, String what) {
        judge(next);
        forgetNeedless(next, next.owner);
        forgetNeedless(next, next.former);
        steps.takeFault(next, () -> what);
    }

    /** Drops the reports that would not change their row, to reduce the number of states. */
    private void forgetNeedless(HistoryWorld next, Process process) {
        for (int claim = 1; claim <= next.run; claim++) {
            Row row = next.row(claim);
            for (Report report : REPORTS) {
                process.pending[claim][report.ordinal()] &= row.claim == 0
                        || facts(row.facts, report) != row.facts
                        || decision(row.decision, report) != row.decision
                        || (!next.told[claim] && decides(report));
            }
        }
    }

    /** Returns whether a report contains the protocol's decision about the claim. */
    private static boolean decides(Report report) {
        return report != Report.OWNER && report != Report.FENCED;
    }

    private void judge(HistoryWorld next) {
        for (int claim = 1; claim <= next.run; claim++) {
            Fate fate = next.fates[claim];
            if (accountedFor(next, claim) && !fate.decidesFire()) {
                next.violate(
                        "the account shows that claim " + claim + " has decided a fire that another claim decides");
            }
            if (scenario.inTime && next.settled() && fate.decidesFire() && !next.hasRow(claim)) {
                next.violate("claim " + claim + " has ended and has no row");
            }
        }
    }

    /**
     * Returns whether the account shows that a claim has decided its fire. If the next claim has a row, the cursor in
     * that row shows this. If the next claim has no row, the account has a gap. If there is no next claim, the record
     * shows it.
     */
    private boolean accountedFor(HistoryWorld now, int claim) {
        if (!now.hasRow(claim)) {
            return false;
        }
        if (claim == now.run) {
            return now.fates[claim].decidesFire();
        }
        boolean next = now.hasRow(claim + 1);
        return next && keeps(Rule.CURSOR_OF_NEXT_CLAIM)
                ? now.fates[claim] != Fate.TAKEN
                : (next || !keeps(Rule.RUN_NUMBERS)) && now.row(claim).decision.decidesFire();
    }

    /** Returns true if the last claim has ended and all reports are stored in the database. */
    @Override
    public boolean finished(HistoryWorld world) {
        return world.run == scenario.claims && world.settled();
    }

    @Override
    public String title() {
        return String.format(
                Locale.ROOT, "history: %d claims, reports %s", scenario.claims, scenario.inTime ? "in time" : "late");
    }
}
