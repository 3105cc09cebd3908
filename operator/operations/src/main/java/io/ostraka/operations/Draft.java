package io.ostraka.operations;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A problem while its facts are collected. */
final class Draft {
    private final Problem.Kind kind;
    private final String text;
    private final List<String> details = new ArrayList<>();
    private final Set<String> instances = new TreeSet<>();
    private final Set<AlarmKind> alarms = EnumSet.noneOf(AlarmKind.class);
    private List<String> items = List.of();
    private String subject = "";
    private @Nullable Instant since;

    Draft(Problem.Kind kind, String text) {
        this.kind = kind;
        this.text = text;
    }

    Problem.Kind kind() {
        return kind;
    }

    List<String> items() {
        return items;
    }

    Set<String> instances() {
        return instances;
    }

    /** Returns the field, the run or the host that the problem concerns; empty for other problems. */
    String subject() {
        return subject;
    }

    Draft subject(String value) {
        subject = value;
        return this;
    }

    /** Adds a sentence; an empty text is left out. */
    Draft detail(@Nullable String detail) {
        if (detail != null && !detail.isBlank()) {
            details.add(detail);
        }
        return this;
    }

    Draft since(@Nullable Instant time) {
        since = since == null || (time != null && time.isBefore(since)) ? time : since;
        return this;
    }

    Draft instances(Collection<String> ids) {
        instances.addAll(ids);
        return this;
    }

    Draft items(List<ItemDetails> affected) {
        items = JobFacts.keys(affected);
        return this;
    }

    /** Adds an alarm about this problem. */
    void alarm(AlarmDetails alarm) {
        if (!alarm.silenced()) {
            alarms.add(alarm.kind());
        }
        since(alarm.since());
    }

    Problem problem(JobFacts facts) {
        return new Problem(
                facts.job().isEmpty() ? null : facts.job(),
                kind,
                kind.level(),
                text,
                details,
                since,
                instances,
                items,
                alarms,
                new Remedies(facts).of(this));
    }
}
