package io.ostraka.operations;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A problem while its facts are collected. */
final class Draft {
    private static final int MOST_NAMED = 20;
    private static final int MOST_DESCRIBED = 3;

    final Problem.Kind kind;
    final Set<String> instances = new TreeSet<>();
    List<ItemDetails> items = List.of();
    /** The field, the run or the host that the problem concerns; empty for other problems. */
    String subject = "";

    private final String text;
    private final List<String> details = new ArrayList<>();
    private final Set<AlarmKind> alarms = EnumSet.noneOf(AlarmKind.class);
    private @Nullable Instant since;
    private boolean silenced;

    Draft(Problem.Kind kind, String text) {
        this.kind = kind;
        this.text = text;
    }

    /** Adds a sentence; an empty text is left out. */
    Draft detail(@Nullable String detail) {
        if (detail != null && !detail.isBlank()) {
            details.add(detail);
        }
        return this;
    }

    /** Adds the command that has caused the problem. */
    Draft change(@Nullable Change change) {
        return change("set by ", change);
    }

    /** @param verb beginning of the sentence, before the actor */
    Draft change(String verb, @Nullable Change change) {
        return change == null ? this : since(change.at()).detail(verb + described(change));
    }

    private static String described(Change change) {
        return (change.by().isEmpty() ? "an unknown person" : change.by()) + " " + change.at() + ", reason: "
                + (change.reason().isEmpty() ? "none given" : change.reason())
                + (change.until() == null ? "" : ", until " + change.until());
    }

    Draft since(Instant time) {
        since = since == null || time.isBefore(since) ? time : since;
        return this;
    }

    Draft instances(Collection<String> ids) {
        instances.addAll(ids);
        return this;
    }

    Draft subject(String value) {
        subject = value;
        return this;
    }

    /** Adds the affected items, and describes some of them. */
    Draft items(List<ItemDetails> affected) {
        items = affected;
        affected.stream().limit(MOST_DESCRIBED).forEach(item -> detail(described(item)));
        int more = affected.size() - MOST_DESCRIBED;
        return more > 0 ? detail("and " + more + (more == 1 ? " more item" : " more items")) : this;
    }

    private static String described(ItemDetails item) {
        ItemDetails.Run run = item.run();
        String last = run == null
                ? ""
                : run.outcome() == null
                        ? " on " + run.runner() + " since " + run.startedAt()
                        : ": " + run.outcome() + " " + run.endedAt() + (run.error() == null ? "" : ", " + run.error());
        return "item " + item.item() + last
                + (item.expectedRunTime() == null ? "" : ", usually " + item.expectedRunTime())
                + (item.failuresInARow() > 1 ? ", " + item.failuresInARow() + " failed in a row" : "")
                + (item.decidedUpTo() == null ? "" : ", has run or skipped its fires up to " + item.decidedUpTo());
    }

    /** Adds an alarm about this problem. */
    void alarm(AlarmDetails alarm) {
        since(alarm.since());
        if (alarm.silenced()) {
            silenced = true;
            detail(alarms(Set.of(alarm.kind()))
                    + (alarm.silence() == null ? " is silenced" : " silenced by " + described(alarm.silence())));
        } else {
            alarms.add(alarm.kind());
        }
    }

    /** @param job name of the job; null for the namespace */
    Problem problem(@Nullable String job, List<Problem.Remedy> remedies) {
        Problem.Level level = silenced && alarms.isEmpty() ? Problem.Level.NOTE : kind.level();
        return new Problem(job, kind, level, text, details, since, instances, keys(items), alarms, remedies);
    }

    /** Returns kinds of alarms in words, such as "the alarm 'no instance'"; "all alarms" for all kinds of a job. */
    static String alarms(Set<AlarmKind> kinds) {
        if (Stream.of(AlarmKind.values()).filter(AlarmKind::isOfJob).allMatch(kinds::contains)) {
            return "all alarms";
        }
        return (kinds.size() == 1 ? "the alarm " : "the alarms ")
                + kinds.stream()
                        .sorted()
                        .map(kind -> "'" + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + "'")
                        .collect(Collectors.joining(", "));
    }

    static List<String> keys(List<ItemDetails> items) {
        return items.stream().map(ItemDetails::item).toList();
    }

    /** Returns the first texts of a list, and the number of the others. */
    static String named(List<String> texts, String separator) {
        int more = texts.size() - MOST_NAMED;
        return texts.stream().limit(MOST_NAMED).collect(Collectors.joining(separator))
                + (more > 0 ? " and " + more + " more" : "");
    }

    /** Returns the name in an instance id {@code name@pid@session}. */
    static String shortInstance(String id) {
        int end = id.lastIndexOf('@', id.lastIndexOf('@') - 1);
        return end < 0 ? id : id.substring(0, end);
    }
}
