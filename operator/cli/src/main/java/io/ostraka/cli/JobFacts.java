package io.ostraka.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Everything that the API says about one job.
 *
 * @param details the job
 * @param items all items of the job
 * @param alarms alarms of the job that have not ended
 * @param at time of the answer
 */
record JobFacts(Answer details, List<Answer> items, List<Answer> alarms, Instant at) {
    private static final Duration AHEAD = Duration.ofSeconds(10);
    /** Length from which a run can be reported as long. */
    static final Duration SHORTEST = Duration.ofMinutes(1);

    /** Limit for a run if there is no earlier run to compare it with. */
    private static final Duration FIRST_RUN = Duration.ofMinutes(2);

    private static final Duration VERY_LONG = Duration.ofMinutes(10);
    private static final int TIMES_EXPECTED = 3;

    /** Reads the facts. If the job has no plan, the facts contain no items. */
    static JobFacts read(Session session, String job, List<Answer> alarms) {
        Client client = session.client();
        String path = Client.path(session.namespace(), "jobs", job);
        Answer details = client.get(path);
        List<Answer> items = List.of();
        String state = details.object("summary").text("state");
        if (!state.equals("UNPLANNED") && !state.equals("REMOVED")) {
            try {
                items = client.pages(path + "/items", "items", List.of()).list("items");
            } catch (Failure e) {
                if (e.exitCode() == ExitCode.UNREACHABLE || e.exitCode() == ExitCode.NOT_ALLOWED) {
                    throw e;
                } // the details describe the unreadable nodes
            }
        }
        Instant at = details.object("summary").time("at").orElseGet(session::now);
        return new JobFacts(
                details,
                items,
                alarms.stream().filter(each -> each.text("job").equals(job)).toList(),
                at);
    }

    String job() {
        return summary().text("job");
    }

    Answer summary() {
        return details.object("summary");
    }

    List<Answer> inState(String state) {
        return items.stream().filter(each -> each.text("state").equals(state)).toList();
    }

    /** Returns the quarantined items that an operator has disabled, or those that are not disabled. */
    List<Answer> quarantined(boolean disabled) {
        return inState("QUARANTINED").stream()
                .filter(each -> each.flag("disabled") == disabled)
                .toList();
    }

    /** Names the operator that has disabled items, the time and the reason; empty if they are not known. */
    String disabledBy(Times times) {
        return disabledBy(details, times);
    }

    /** @param details the job */
    static String disabledBy(Answer details, Times times) {
        Answer change = details.object("changes").object("disabledItems");
        return change.json().isEmpty()
                ? ""
                : (details.texts("disabledItems").size() > 1 ? "the latest of them was disabled by " : "disabled by ")
                        + Reports.change(times, change);
    }

    /**
     * Returns the number of items without an instance.
     *
     * @param summary the job, from the list of all jobs
     */
    static long unassigned(Answer summary) {
        return summary.number("items")
                - summary.map("owners").values().stream()
                        .filter(each -> each.matches("\\d{1,9}"))
                        .mapToLong(Long::parseLong)
                        .sum();
    }

    /** Returns whether an item is quarantined because instances died while they ran it. */
    static boolean hasKilled(Answer item) {
        return item.text("state").equals("QUARANTINED")
                && item.object("run").text("outcome").equals("CRASHED");
    }

    static List<String> keys(List<Answer> items) {
        return items.stream().map(each -> each.text("item")).toList();
    }

    /** Returns the items whose cursor is in the future. */
    List<Answer> ahead() {
        return items.stream()
                .filter(each -> each.time("decidedUpTo")
                        .filter(time -> time.isAfter(at.plus(AHEAD)))
                        .isPresent())
                .filter(each -> !each.text("state").equals("RUNNING"))
                .toList();
    }

    List<Answer> withoutOwner() {
        return items.stream().filter(each -> !each.has("owner")).toList();
    }

    /** Returns the items that run much longer than usual, or for long if there is no earlier run for comparison. */
    List<Answer> runningLong() {
        List<Answer> found = new ArrayList<>();
        for (Answer item : inState("RUNNING")) {
            Duration limit = item.duration("expectedRunTime")
                    .map(expected -> expected.multipliedBy(TIMES_EXPECTED))
                    .map(most -> most.compareTo(SHORTEST) > 0 ? most : SHORTEST)
                    .orElse(FIRST_RUN);
            if (ran(item).compareTo(limit) > 0) {
                found.add(item);
            }
        }
        return found;
    }

    /** Returns whether an item has run for so long that it needs a person, regardless of its usual time. */
    boolean isVeryLong(Answer item) {
        return ran(item).compareTo(VERY_LONG) > 0;
    }

    private Duration ran(Answer item) {
        return item.object("run")
                .time("startedAt")
                .map(start -> Duration.between(start, at))
                .orElse(Duration.ZERO);
    }

    /** Returns the idle items whose last run did not succeed. */
    List<Answer> failed() {
        return inState("IDLE").stream()
                .filter(each -> List.of("FAILED", "TIMED_OUT", "CRASHED")
                        .contains(each.object("run").text("outcome")))
                .toList();
    }

    /** Returns the overridden fields. The field {@code paused} is shown as the state. */
    List<Answer> overrides() {
        return details.list("fields").stream()
                .filter(each -> each.flag("overridden") && !each.text("field").equals("paused"))
                .toList();
    }

    /** Returns the value in force of a field that is an object; an empty object if there is none. */
    Answer effective(String name) {
        return field(name).map(each -> each.object("effective")).orElse(Answer.EMPTY);
    }

    Optional<Answer> field(String name) {
        return details.list("fields").stream()
                .filter(each -> each.text("field").equals(name))
                .findFirst();
    }
}
