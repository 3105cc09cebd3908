package io.ostraka.history;

import io.ostraka.api.Alarm;
import io.ostraka.api.FailoverReason;
import io.ostraka.api.HistoryLevel;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.event.AlarmChanged;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.CursorSetBack;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.FireTriggered;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.JobConfigured;
import io.ostraka.api.event.JobEvent;
import io.ostraka.api.event.JobPurged;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.api.event.OverrideChanged;
import io.ostraka.api.event.PlanChanged;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.RunLost;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.SkipRecorded;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.ClaimReport.Decision;
import io.ostraka.history.row.ClaimReport.Source;
import io.ostraka.history.row.HistoryEvent;
import io.ostraka.history.row.HistoryEvent.Kind;
import io.ostraka.history.row.Measurement;
import io.ostraka.history.row.Row;
import io.ostraka.history.row.Skipped;
import io.ostraka.history.row.TriggeredRun;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Turns the events of an instance into rows. Called on one thread at a time. */
final class EventRows {
    /** Kinds of events that result in rows. */
    static final Set<Class<? extends Event>> KINDS = Set.of(
            JobConfigured.class,
            FireTriggered.class,
            RunEnded.class,
            RunFenced.class,
            RunLost.class,
            RunRecorded.class,
            SkipRecorded.class,
            ItemTakenOver.class,
            FiresSkipped.class,
            PlanChanged.class,
            LeaderChanged.class,
            AlarmChanged.class,
            OverrideChanged.class,
            ItemReleased.class,
            CursorSetBack.class,
            JobPurged.class);

    /** Number of triggered runs that are remembered, so that a run gets one row, and not one for each of its items. */
    private static final int REMEMBERED_RUNS = 1_000;

    private final Levels levels = new Levels();
    private final Texts texts;
    private final Map<String, Boolean> triggered = new LinkedHashMap<>();

    EventRows(Texts texts) {
        this.texts = texts;
    }

    /** Returns the rows of an event, in their order. */
    List<Row> of(Event event) {
        if (event instanceof RunEnded ended) {
            return List.of(ended(ended));
        } else if (event instanceof FiresSkipped skipped) {
            return List.of(skipped(skipped));
        } else if (event instanceof RunFenced fenced) {
            return fenced(fenced);
        } else if (event instanceof ItemTakenOver takenOver) {
            return takenOver(takenOver);
        } else if (event instanceof RunLost lost) {
            return lost(lost);
        } else if (event instanceof RunRecorded end) {
            return recorded(end);
        } else if (event instanceof SkipRecorded skip) {
            return recorded(skip);
        } else if (event instanceof FireTriggered fire) {
            return triggered(fire);
        } else if (event instanceof JobConfigured configured) {
            HistoryLevel level = levels.configured(configured.configuration(), configured.at());
            return level == null ? List.of() : List.of(happened(Kind.LEVEL, configured, null, "" + level));
        }
        HistoryEvent other = other(event);
        return other == null ? List.of() : List.of(other);
    }

    private Row ended(RunEnded event) {
        Claim claim = event.claim();
        String outcome = event.outcome().name();
        if (!levels.of(claim.job()).keepsRun(event.outcome() == ItemOutcome.SUCCEEDED, event.ran())) {
            return new Measurement(claim.job(), event.at(), outcome, 1, event.ran());
        }
        return run(
                claim,
                new Ended(
                        event.attempt() - claim.attempt() + 1,
                        event.attempt(),
                        outcome,
                        event.error(),
                        event.startedAt(),
                        event.at(),
                        event.ran(),
                        Source.OWNER),
                new Decided(event.cursor(), false, Decision.OWNER));
    }

    private List<Row> fenced(RunFenced event) {
        Claim claim = event.claim();
        HistoryEvent happened = new HistoryEvent(
                Kind.FENCED, event.at(), claim.instanceId(), claim.job(), claim.item(), event.reason());
        if (levels.of(claim.job()).kind() == HistoryLevel.Kind.NONE) {
            return List.of(happened);
        }
        return List.of(
                run(
                        claim,
                        Ended.unknown(claim, ClaimReport.LOST, event.at()),
                        new Decided(claim.cursor(), true, Decision.FENCED)),
                happened);
    }

    private List<Row> takenOver(ItemTakenOver event) {
        Claim before = event.interrupted();
        boolean crashed = event.reason() == FailoverReason.CRASHED;
        String outcome = crashed ? ClaimReport.LOST : ItemOutcome.INTERRUPTED.name();
        HistoryEvent happened = new HistoryEvent(
                Kind.TAKEN_OVER,
                event.at(),
                event.instanceId(),
                before.job(),
                before.item(),
                "fire " + before.runId() + " of " + before.instanceId() + ", which has "
                        + (crashed ? "died" : "handed it over"));
        if (!crashed && levels.of(before.job()).kind() == HistoryLevel.Kind.NONE) {
            return List.of(happened); // the owner has already counted the claim that it handed over
        }
        return List.of(
                kept(
                        before,
                        Ended.unknown(before, outcome, event.at()),
                        new Decided(before.cursor(), crashed, crashed ? Decision.TAKER : Decision.RECORD)),
                happened);
    }

    private List<Row> lost(RunLost event) {
        Claim claim = event.claim();
        return List.of(kept(
                claim,
                Ended.unknown(claim, event.outcome().name(), event.at()),
                new Decided(cursorAfter(claim), true, Decision.TAKER)));
    }

    /** Returns the cursor of an item after the protocol has ended the fire of a claim. */
    private static Instant cursorAfter(Claim claim) {
        return claim.triggered() || claim.fireTime().isBefore(claim.cursor()) ? claim.cursor() : claim.fireTime();
    }

    private Row kept(Claim claim, Ended ended, Decided decided) {
        return levels.of(claim.job()).kind() == HistoryLevel.Kind.NONE
                ? new Measurement(claim.job(), ended.endedAt, ended.outcome, 1, null)
                : run(claim, ended, decided);
    }

    /** The facts that a report states about the run. */
    private record Ended(
            int attempts,
            int attempt,
            String outcome,
            @Nullable String error,
            @Nullable Instant startedAt,
            Instant endedAt,
            @Nullable Duration ran,
            Source source) {
        static Ended unknown(Claim claim, String outcome, Instant at) {
            return new Ended(0, claim.attempt(), outcome, null, null, at, null, Source.TAKER);
        }
    }

    /** The decision of the protocol that a report states. */
    private record Decided(Instant cursorAfter, boolean fenced, Decision decision) {}

    private ClaimReport run(Claim claim, Ended ended, Decided decided) {
        return new ClaimReport(
                claim.job(),
                claim.item(),
                claim.nonce(),
                claim.incarnation(),
                claim.opened(),
                claim.runId(),
                claim.fireTime(),
                claim.triggered(),
                claim.shardingTotalCount(),
                claim.runNumber(),
                claim.fencingToken(),
                claim.instanceId(),
                claim.claimedAt(),
                claim.cursor(),
                decided.cursorAfter,
                decided.fenced,
                decided.decision,
                ended.attempts,
                ended.attempt,
                ended.outcome,
                ended.source == Source.RECORD
                        ? texts.storedError(claim.job(), ended.error)
                        : texts.error(claim.job(), ended.error),
                ended.startedAt,
                ended.endedAt,
                ended.ran,
                ended.source);
    }

    private Row skipped(FiresSkipped event) {
        if (!levels.of(event.job()).keepsSkippedFires()) {
            return new Measurement(event.job(), event.at(), event.reason().name(), event.count(), null);
        }
        return new Skipped(
                event.job(),
                event.item(),
                event.incarnation(),
                event.opened(),
                event.runId(),
                event.from(),
                event.to(),
                event.count(),
                event.reason().name(),
                event.cursorBefore(),
                event.cursor(),
                event.instanceId(),
                event.at(),
                false);
    }

    /**
     * Returns the row for a skip that was read in an item's record; empty if the job's level keeps no such rows. Only the
     * account needs rows without fires, and only jobs with the level ALL have one.
     */
    private List<Row> recorded(SkipRecorded event) {
        HistoryLevel level = levels.of(event.job());
        if (event.count() == 0 ? level.kind() != HistoryLevel.Kind.ALL : !level.keepsSkippedFires()) {
            return List.of();
        }
        return List.of(new Skipped(
                event.job(),
                event.item(),
                event.incarnation(),
                event.opened(),
                null,
                event.from(),
                event.to(),
                event.count(),
                event.reason().name(),
                event.cursorBefore(),
                event.cursor(),
                event.instanceId(),
                event.at(),
                true));
    }

    /** Returns the row for a run's end that was read in an item's record, which does not show when the code began. */
    private List<Row> recorded(RunRecorded event) {
        Claim claim = event.claim();
        if (!levels.of(claim.job()).keepsRun(event.outcome() == ItemOutcome.SUCCEEDED, null)) {
            return List.of();
        }
        return List.of(run(
                claim,
                new Ended(
                        0,
                        claim.attempt(),
                        event.outcome().name(),
                        event.error(),
                        null,
                        event.endedAt(),
                        null,
                        Source.RECORD),
                new Decided(event.cursor(), false, Decision.RECORD)));
    }

    private List<Row> triggered(FireTriggered event) {
        String key = event.job() + "/" + event.runId();
        if (levels.of(event.job()).kind() == HistoryLevel.Kind.NONE || triggered.put(key, true) != null) {
            return List.of();
        }
        if (triggered.size() > REMEMBERED_RUNS) {
            triggered.remove(triggered.keySet().iterator().next());
        }
        Map<String, String> parameters = new TreeMap<>();
        event.parameters().forEach((name, value) -> parameters.put(name, texts.parameter(event.job(), name, value)));
        return List.of(new TriggeredRun(
                event.job(),
                event.runId(),
                event.acceptedAt(),
                event.fireTime(),
                event.shardingTotalCount(),
                event.requestedBy(),
                event.reason() == null ? null : texts.reason(event.job(), event.reason()),
                event.rerunOf(),
                parameters,
                parameters.equals(event.parameters())));
    }

    private @Nullable HistoryEvent other(Event event) {
        if (event instanceof LeaderChanged leader) {
            return new HistoryEvent(
                    Kind.LEADER_CHANGED,
                    leader.at(),
                    leader.instanceId(),
                    null,
                    null,
                    leader.leads() ? "leads" : "no longer leads");
        } else if (event instanceof AlarmChanged changed) {
            Alarm alarm = changed.alarm();
            return new HistoryEvent(
                    alarm.state() == Alarm.State.FIRING ? Kind.ALARM_BEGUN : Kind.ALARM_ENDED,
                    changed.at(),
                    changed.instanceId(),
                    alarm.job(),
                    null,
                    line(alarm) + (changed.silenced() ? "; silenced" : ""));
        } else if (event instanceof PlanChanged plan) {
            String detail = "plan " + plan.version() + ": " + plan.shardingTotalCount() + " items on "
                    + plan.items().size() + " instances, " + plan.moved() + " moved"
                    + (plan.closed() ? "; the item count is changing" : "");
            return happened(Kind.PLAN_CHANGED, plan, null, detail);
        } else if (event instanceof OverrideChanged change) {
            return happened(Kind.OVERRIDE_CHANGED, change, null, String.join(", ", change.fields()));
        } else if (event instanceof ItemReleased released) {
            String by = by(released.job(), released.actor(), released.reason());
            return happened(Kind.ITEM_RELEASED, released, released.item(), by);
        } else if (event instanceof CursorSetBack back) {
            String by = by(back.job(), back.actor(), back.reason());
            return happened(Kind.CURSOR_SET_BACK, back, back.item(), SetBack.detail(back) + ", " + by);
        } else if (event instanceof JobPurged purged) {
            return happened(Kind.JOB_PURGED, purged, null, by(purged.job(), purged.actor(), purged.reason()));
        }
        return null;
    }

    private static HistoryEvent happened(Kind kind, JobEvent event, @Nullable String item, String detail) {
        return new HistoryEvent(kind, event.at(), event.instanceId(), event.job(), item, detail);
    }

    /** Returns the line of an alarm. The text of an alarm may contain the error of a run. */
    private String line(Alarm alarm) {
        return alarm.state() == Alarm.State.FIRING
                ? alarm.kind() + ": " + alarm.subject() + ": " + texts.storedError(alarm.job(), alarm.text())
                : alarm.line();
    }

    private String by(String job, String actor, String reason) {
        return "by " + actor + (reason.isEmpty() ? "" : ": " + texts.reason(job, reason));
    }
}
