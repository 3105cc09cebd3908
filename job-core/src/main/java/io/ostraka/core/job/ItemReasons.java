package io.ostraka.core.job;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Derives the reasons why items of a job do not run in this instance. Confined to the job's serial executor. */
final class ItemReasons {
    /** Texts that follow the names of the items: of one item, and of several. */
    private static final Map<Kind, List<String>> TEXTS = new EnumMap<>(Map.of(
            Kind.FUTURE_ITEMS,
            List.of(
                    " has a cursor in the future, so that no fire starts before then; if a clock was wrong, set the"
                            + " cursor back with the command SET_BACK_CURSOR",
                    " have a cursor in the future, so that no fire starts before then; if a clock was wrong, set the"
                            + " cursors back with the command SET_BACK_CURSOR"),
            Kind.QUARANTINED_ITEMS,
            List.of(
                    " is quarantined and starts no fire: find the cause; if instances died, disable the item first, and"
                            + " release it only after the cause is mended",
                    " are quarantined and start no fire: find the cause; if instances died, disable the items first,"
                            + " and release them only after the cause is mended"),
            Kind.STUCK_ITEMS,
            List.of(
                    " was asked to stop, and its code still runs; see the log for the place in the code",
                    " were asked to stop, and their code still runs; see the log for the places in the code"),
            Kind.STOP_IGNORED,
            List.of(
                    " still runs, because its code ignores isCancelled() and interrupts; only a restart of this"
                            + " instance's process ends it; see the log for the place in the code",
                    " still run, because their code ignores isCancelled() and interrupts; only a restart of this"
                            + " instance's process ends them; see the log for the places in the code"),
            Kind.NO_THREADS,
            List.of(
                    " is claimed, but the process cannot start a thread for it, and tries again; raise the limit of"
                            + " threads or the memory",
                    " are claimed, but the process cannot start a thread for them, and tries again; raise the limit of"
                            + " threads or the memory"),
            Kind.LONG_RUNNING_ITEMS,
            List.of(
                    " takes unusually long and has no time limit; see the log for the place in the code, and set the"
                            + " job's timeout",
                    " take unusually long and have no time limit; see the log for the places in the code, and set the"
                            + " job's timeout"),
            Kind.NO_FREE_SLOT,
            List.of(
                    " is due and waits for a slot; allow more concurrent runs in this process, or add an instance",
                    " are due and wait for a slot; allow more concurrent runs in this process, or add an instance"),
            Kind.WAITING_ITEMS,
            List.of(
                    " belongs to this instance and waits until its run in another session ends",
                    " belong to this instance and wait until their runs in another session end")));

    private final HostedJobState job;
    private final Admission admission;
    private final boolean scheduled;
    private final boolean closed;
    private final Instant latest;
    /** Items, or texts about unreadable items, by the reason; empty for most jobs. */
    private final Map<Kind, List<String>> found = new EnumMap<>(Kind.class);

    private final Set<String> runners = new TreeSet<>();

    /** Examines the items of a job that has a snapshot. */
    ItemReasons(HostedJobState job, Admission admission) {
        this.job = job;
        this.admission = admission;
        this.scheduled = !(job.snapshot().configuration().schedule() instanceof Schedule.OnDemand);
        this.closed = job.snapshot().plan().closed();
        this.latest = job.context.clock().latest();
        job.items.values().forEach(this::examine);
    }

    /** Calls an action with each reason and its text. */
    void forEach(BiConsumer<Kind, String> action) {
        found.forEach((kind, items) -> {
            List<String> texts = TEXTS.get(kind);
            action.accept(
                    kind,
                    texts == null
                            ? Names.listed(items)
                            : Names.items(items) + texts.get(items.size() == 1 ? 0 : 1) + runners(kind));
        });
    }

    private String runners(Kind kind) {
        return kind != Kind.WAITING_ITEMS || runners.isEmpty() ? "" : ": " + Names.listed(runners);
    }

    private void examine(HostedItem hosted) {
        String unreadable = unreadable(hosted);
        ItemRun run = hosted.executing();
        if (unreadable != null) {
            add(Kind.UNREADABLE_ITEMS, unreadable);
        } else if (run != null && run.abandoned()) {
            Optional<FireStop> stop = job.stopOf(run);
            add(
                    stop.isPresent() ? Kind.STOP_IGNORED : Kind.STUCK_ITEMS,
                    hosted.key() + stop.map(ItemReasons::by).orElse(""));
        } else {
            Kind ofRun = run == null ? null : ofRun(hosted, run);
            Kind reason = ofRun == null ? ofRecord(hosted) : ofRun;
            if (reason != null) {
                add(reason, hosted.key());
            }
        }
    }

    private @Nullable String unreadable(HostedItem hosted) {
        Versioned<ItemRecord> record = hosted.record();
        if (hosted.problem() != null
                || record == null
                || !scheduled
                || !record.value().lost()) {
            return hosted.problem();
        }
        return "the record of item " + hosted.key() + " was lost, and all fires up to "
                + record.value().cursor()
                + " count as decided; if one is missing, run it with a trigger or a backfill (this reason ends"
                + " when the item has run)";
    }

    private static @Nullable Kind ofRun(HostedItem hosted, ItemRun run) {
        return run.waitsForThread() ? Kind.NO_THREADS : hosted.overlong() ? Kind.LONG_RUNNING_ITEMS : null;
    }

    private @Nullable Kind ofRecord(HostedItem hosted) {
        Versioned<ItemRecord> record = hosted.record();
        ItemState state = record == null ? null : record.value().state();
        if (hosted.state() instanceof HostedItemState.Foreign && !closed) {
            if (record != null && state == ItemState.RUNNING) {
                runners.add(record.value().requireRun().owner());
            }
            return Kind.WAITING_ITEMS;
        }
        if (state == ItemState.QUARANTINED) {
            return Kind.QUARANTINED_ITEMS;
        }
        return hosted.decidedAhead(latest) ? Kind.FUTURE_ITEMS : admission.waitsLong(hosted) ? Kind.NO_FREE_SLOT : null;
    }

    private static String by(FireStop stop) {
        FireStop.Request request = stop.request();
        return " (" + stop.text() + (request == null ? "" : ", at " + request.at()) + ")";
    }

    private void add(Kind kind, String item) {
        found.computeIfAbsent(kind, each -> new ArrayList<>()).add(item);
    }
}
