package io.ostraka.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.InstanceState;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobInstance;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.ItemDetails.State;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.Problem.Kind;
import io.ostraka.api.operations.ReportedReason;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.model.JobView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests which situations are problems, and that each of them is listed once, with a remedy. */
class TriageTest {
    private static final Instant NOW = Instant.parse("2026-01-31T22:00:00Z");
    private static final String A = "a@1@2";

    /** Views for which the pages have a screen. */
    private static final Set<Operation> SCREENS = EnumSet.of(
            Operation.ITEMS, Operation.JOB, Operation.JOBS, Operation.INSTANCES, Operation.ALARMS, Operation.BACKFILLS);

    private static final Change CHANGE = new Change("ann", "known", NOW.minusSeconds(60), null);

    private static final Change SILENCE =
            new Change("olga", "the bank is down", NOW.minusSeconds(900), NOW.plusSeconds(900));

    private static ReportedReason reason(JobHealth.Kind kind, String text, String... instances) {
        return new ReportedReason(new JobHealth.Reason(kind, text, NOW.minusSeconds(60)), Set.of(instances));
    }

    private static JobSummary summary(JobState state, String text, int items, List<ReportedReason> health) {
        return new JobSummary("settle", state, text, health, null, items, Map.of(A, 1), null, 0, NOW);
    }

    private static JobDetails details(JobSummary summary, Instant skipTo, String problem, FieldValue... fields) {
        return new JobDetails(
                summary,
                new JobActivity("settle", null, Map.of(), 0, null, 0, 0, 0, 0),
                List.of(fields),
                Set.of("7"),
                Set.of("b"),
                skipTo,
                Map.of("silencedAlarms", CHANGE, "disabledItems", CHANGE),
                List.of(),
                1,
                A,
                problem);
    }

    private static JobDetails healthy(ReportedReason... health) {
        return details(summary(JobState.ACTIVE, "", 1, List.of(health)), null, null);
    }

    private static JobDetails inState(JobState state) {
        return details(summary(state, "told", 1, List.of()), null, state == JobState.UNREADABLE ? "damaged" : null);
    }

    private static ItemDetails item(String key, State state, boolean disabled, Duration ran, ItemOutcome outcome) {
        return item(key, state, disabled, ran, outcome, "settle@1");
    }

    private static ItemDetails item(
            String key, State state, boolean disabled, Duration ran, ItemOutcome outcome, String runId) {
        ItemDetails.Run run = new ItemDetails.Run(
                1,
                runId,
                NOW,
                false,
                1,
                A,
                NOW.minus(ran),
                outcome == null ? null : NOW,
                outcome,
                outcome == null ? null : "no such account",
                null);
        Instant decided = outcome == ItemOutcome.SUCCEEDED ? NOW.plusSeconds(600) : NOW;
        return new ItemDetails(key, state, disabled, A, run, decided, 1, List.of(), null, 1, Map.of(), 1, null);
    }

    private static AlarmDetails alarm(AlarmKind kind, boolean silenced) {
        return new AlarmDetails(
                "id",
                kind.isOfJob() ? "settle" : null,
                kind,
                NOW.minusSeconds(600),
                NOW,
                null,
                "text of the alarm",
                List.of("0"),
                1,
                silenced,
                silenced ? SILENCE : null,
                List.of(),
                List.of());
    }

    private static FieldValue field(String name, Object defined, Object effective) {
        return new FieldValue(name, defined, true, effective, CHANGE);
    }

    private static List<Problem> of(JobDetails details, List<ItemDetails> items, AlarmDetails... alarms) {
        return JobTriage.of(details, items, List.of(alarms), Set.of(), "because");
    }

    private static InstanceDetails instance(boolean clockAhead, String problem, String gap) {
        JobInstance self = new JobInstance(A, "h", "", Map.of(), 1);
        return new InstanceDetails(self, 1, InstanceState.WORKING, true, clockAhead, Set.of(), Map.of(), problem, gap);
    }

    private static List<Problem> ofNamespace(int instances, InstanceDetails instance) {
        NamespaceDetails details =
                new NamespaceDetails(null, instances, 1, CHANGE, Map.of("a@1@2", CHANGE), 1, "damaged", NOW);
        return NamespaceTriage.of(
                details,
                List.of(instance),
                Map.of("gone@1@1", List.of("settle")),
                List.of(alarm(AlarmKind.HISTORY_LOST, false)),
                7,
                8);
    }

    /** Returns problems of all kinds. */
    private static List<Problem> all() {
        List<Problem> all = new ArrayList<>();
        for (JobHealth.Kind kind : JobHealth.Kind.values()) {
            all.addAll(of(healthy(reason(kind, "reported", A)), List.of()));
        }
        for (JobState state : JobState.values()) {
            all.addAll(of(inState(state), List.of()));
        }
        for (AlarmKind kind : AlarmKind.values()) {
            all.addAll(of(healthy(), List.of(), alarm(kind, false)));
        }
        all.addAll(of(
                details(
                        summary(JobState.ACTIVE, "skips its fires", 2, List.of()),
                        NOW.plusSeconds(60),
                        null,
                        field("timeout", Duration.ofMinutes(1), Duration.ofMinutes(5)),
                        field("maxAttempts", 2, 2),
                        field("fenceEpoch", 0, 1)),
                List.of(
                        item("0", State.INTERRUPTED, false, Duration.ZERO, null),
                        item("1", State.RUNNING, false, Duration.ofMinutes(5), null),
                        item("2", State.IDLE, false, Duration.ZERO, ItemOutcome.FAILED),
                        item("3", State.QUARANTINED, false, Duration.ZERO, ItemOutcome.CRASHED),
                        item("4", State.QUARANTINED, true, Duration.ZERO, ItemOutcome.FAILED),
                        item("5", State.IDLE, false, Duration.ZERO, ItemOutcome.SUCCEEDED))));
        all.addAll(JobTriage.of(healthy(), List.of(), List.of(), Set.of(AlarmKind.LATE), ""));
        all.addAll(ofNamespace(0, instance(true, "broken", "no report")));
        all.addAll(ofNamespace(1, instance(false, null, null)));
        return all;
    }

    @Test
    void everyKindIsFoundWithATextAndARemedy() {
        assertThat(all())
                .allSatisfy(each -> {
                    assertThat(each.text()).as(each.toString()).isNotBlank();
                    assertThat(each.remedies()).as(each.toString()).isNotEmpty().allSatisfy(remedy -> assertThat(
                                    remedy.command() != null
                                            || remedy.operation() == null
                                            || SCREENS.contains(remedy.operation()))
                            .isTrue());
                    assertThat(each.level()).isEqualTo(each.kind().level());
                })
                .extracting(Problem::kind)
                .containsAll(EnumSet.allOf(Kind.class));
    }

    @ParameterizedTest
    @EnumSource(value = JobHealth.Kind.class, names = "CLOCK_AHEAD", mode = EnumSource.Mode.EXCLUDE)
    void eachReasonOfAJobIsOneProblem(JobHealth.Kind kind) {
        List<Problem> found = of(healthy(reason(kind, "one", A), reason(kind, "two", "b@1@3")), List.of());

        assertThat(found).hasSize(1);
        Problem problem = found.get(0);
        assertThat(problem.kind().name()).isEqualTo(kind.name());
        assertThat(problem.text()).isEqualTo("one; two");
        assertThat(problem.instances()).containsExactly(A, "b@1@3");
        assertThat(problem.level() == Problem.Level.ERROR)
                .isEqualTo(kind.needsAttention() || kind == JobHealth.Kind.NO_PLAN);
    }

    @Test
    void wrongClockIsAProblemOfItsInstanceAlone() {
        assertThat(of(healthy(reason(JobHealth.Kind.CLOCK_AHEAD, "this host", A)), List.of()))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(AlarmKind.class)
    void anAlarmBelongsToTheProblemThatItIsAbout(AlarmKind kind) {
        List<Kind> about = JobTriage.about(kind);
        assertThat(of(healthy(), List.of(), alarm(kind, false))).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(about.get(0));
            assertThat(each.alarms()).containsExactly(kind);
        });
        assertThat(of(healthy(), List.of(), alarm(kind, true)).get(0).alarms()).isEmpty();
        Arrays.stream(JobHealth.Kind.values())
                .filter(reason -> about.contains(Kind.valueOf(reason.name())))
                .forEach(reason -> assertThat(of(healthy(reason(reason, "told", A)), List.of(), alarm(kind, false)))
                        .as(reason.name())
                        .singleElement()
                        .satisfies(each -> assertThat(each.alarms()).containsExactly(kind)));
    }

    @ParameterizedTest
    @EnumSource(AlarmKind.class)
    void silencedAlarmNamesItsSilenceAndNeedsNoPerson(AlarmKind kind) {
        assertThat(of(healthy(), List.of(), alarm(kind, true))).singleElement().satisfies(each -> {
            assertThat(each.level()).isEqualTo(Problem.Level.NOTE);
            assertThat(each.details())
                    .contains("the alarm '"
                            + kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + "' silenced by olga "
                            + SILENCE.at() + ", reason: the bank is down, until " + SILENCE.until());
            assertThat(each.since()).isEqualTo(NOW.minusSeconds(600));
        });
    }

    @Test
    void silenceConcernsTheFailuresOfEachFire() {
        List<ItemDetails> items = List.of(
                item("0", State.IDLE, false, Duration.ZERO, ItemOutcome.FAILED, "settle@1"),
                item("1", State.IDLE, false, Duration.ZERO, ItemOutcome.FAILED, "settle@2"));

        assertThat(of(healthy(), items, alarm(AlarmKind.FAILING, true)))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.level()).isEqualTo(Problem.Level.NOTE));
    }

    @Test
    void problemWithAnotherAlarmKeepsItsLevel() {
        JobDetails unhosted = healthy(reason(JobHealth.Kind.NO_HOST, "no instance", A));

        assertThat(of(unhosted, List.of(), alarm(AlarmKind.NO_INSTANCE, true), alarm(AlarmKind.UNPLACED, false)))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.level()).isEqualTo(Problem.Level.ERROR);
                    assertThat(each.alarms()).containsExactly(AlarmKind.UNPLACED);
                });
    }

    @Test
    void runsThatHangOrWereInterruptedNameTheirInstance() {
        assertThat(of(healthy(), List.of(item("0", State.RUNNING, false, Duration.ofMinutes(30), null))))
                .singleElement()
                .satisfies(each -> assertThat(each.instances()).containsExactly(A));
        assertThat(of(healthy(), List.of(item("0", State.INTERRUPTED, false, Duration.ZERO, null))))
                .singleElement()
                .satisfies(each -> assertThat(each.instances()).containsExactly(A));
    }

    @Test
    void deadInstanceWithItemsIsAProblemEvenIfNoInstanceIsLeft() {
        assertThat(ofNamespace(0, instance(false, null, null)))
                .filteredOn(each -> each.kind() == Kind.INSTANCE_GONE)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.instances()).containsExactly("gone@1@1");
                    assertThat(each.details().get(0)).contains("settle", "no instance is left");
                });
    }

    @Test
    void removedJobNeedsNoPerson() {
        JobDetails removed = details(
                summary(JobState.REMOVED, "removed by ann", 1, List.of()),
                null,
                null,
                field("timeout", Duration.ofMinutes(1), Duration.ofMinutes(5)));
        List<ItemDetails> items = List.of(
                item("0", State.IDLE, false, Duration.ZERO, ItemOutcome.FAILED),
                item("1", State.QUARANTINED, false, Duration.ZERO, ItemOutcome.CRASHED),
                item("2", State.IDLE, false, Duration.ZERO, ItemOutcome.SUCCEEDED));

        assertThat(of(removed, items))
                .singleElement()
                .extracting(Problem::kind, Problem::text)
                .containsExactly(Kind.REMOVED, "is removed, so nothing of it starts; it is listed until it is purged");
        items = List.of(item("0", State.RUNNING, false, Duration.ofMinutes(30), null));
        assertThat(of(removed, items)).extracting(Problem::kind).containsExactly(Kind.REMOVED, Kind.LONG_RUNNING_ITEMS);
    }

    @Test
    void alarmAboutItemsWithoutAnInstanceIsNoSecondProblem() {
        JobDetails unassigned = details(summary(JobState.ACTIVE, "", 2, List.of()), null, null);

        assertThat(of(unassigned, List.of(), alarm(AlarmKind.UNPLACED, false)))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.kind()).isEqualTo(Kind.UNASSIGNED_ITEMS);
                    assertThat(each.alarms()).containsExactly(AlarmKind.UNPLACED);
                });
    }

    @Test
    void failuresOfQuarantinedItemsAreNoSecondProblem() {
        List<ItemDetails> items = List.of(item("0", State.QUARANTINED, false, Duration.ZERO, ItemOutcome.FAILED));

        assertThat(of(healthy(), items, alarm(AlarmKind.FAILING, false)))
                .extracting(Problem::kind)
                .containsExactly(Kind.QUARANTINED_ITEMS);
    }

    @Test
    void valuesThatMayBeSecretAreNotShown() {
        JobDetails overridden =
                details(summary(JobState.ACTIVE, "", 1, List.of()), null, null, field("jobParameter", "old", "secret"));

        assertThat(of(overridden, List.of())).singleElement().satisfies(each -> assertThat(each.toString())
                .contains("an override masks jobParameter")
                .doesNotContain("secret", "old"));
    }

    @Test
    void codeThatIgnoresAStopIsDisabledBeforeItsProcessRestarts() {
        JobDetails stuck = details(
                summary(JobState.ACTIVE, "", 2, List.of(reason(JobHealth.Kind.STUCK_ITEMS, "item 0 still runs", A))),
                null,
                null,
                new FieldValue("timeout", Duration.ofSeconds(20), false, Duration.ofSeconds(20), null));
        Problem one = of(
                        stuck,
                        List.of(
                                item("0", State.RUNNING, false, Duration.ofSeconds(50), null),
                                item("1", State.RUNNING, false, Duration.ofSeconds(5), null)))
                .get(0);
        assertThat(one.text()).isEqualTo("item 0 still runs; the timeout of PT20S ended at " + NOW.minusSeconds(30));
        assertThat(one.items()).containsExactly("0");
        assertThat(one.remedies().get(0).command()).isEqualTo(new Command.DisableItem("settle", "0"));
        assertThat(one.remedies().get(1).text())
                .contains("then restart the process of instance a:", "neither a drain nor an eviction ends it");
        assertThat(one.remedies().get(2).text()).contains("mend the code, and enable the item");

        Problem two = of(
                        healthy(reason(JobHealth.Kind.STOP_IGNORED, "items still run", A, "b@1@3")),
                        List.of(item("0", State.RUNNING, true, Duration.ofSeconds(50), null)))
                .get(0);
        assertThat(two.remedies().get(0).text()).contains("of the instances a, b, one after the other");
        assertThat(two.remedies()).allSatisfy(each -> assertThat(each.command()).isNull());
    }

    @Test
    void twoReportsOfTheSameItemsAreOneProblem() {
        assertThat(of(
                        healthy(reason(JobHealth.Kind.DISABLED_ITEMS, "item 4", A)),
                        List.of(item("4", State.QUARANTINED, true, Duration.ZERO, ItemOutcome.FAILED))))
                .extracting(Problem::kind)
                .containsExactly(Kind.QUARANTINED_DISABLED_ITEMS);
        assertThat(of(
                        healthy(reason(JobHealth.Kind.LONG_RUNNING_ITEMS, "item 1 has been running", A)),
                        List.of(item("1", State.INTERRUPTED, false, Duration.ofMinutes(2), null))))
                .extracting(Problem::kind)
                .containsExactly(Kind.INTERRUPTED_ITEMS);
    }

    @Test
    void cutListOfItemsSaysHowManyAreLeftOut() {
        List<ItemDetails> items = List.of("0", "1", "2", "3", "4").stream()
                .map(key -> item(key, State.INTERRUPTED, false, Duration.ZERO, null))
                .toList();

        assertThat(of(healthy(), items).get(0).details()).hasSize(4).last().isEqualTo("and 2 more items");
    }

    @Test
    void jobWithoutAnInstanceNamesTheInstanceThatDefinedIt() {
        Problem problem = of(healthy(reason(JobHealth.Kind.NO_HOST, "no instance", A)), List.of())
                .get(0);

        assertThat(problem.since()).isEqualTo(NOW.minusSeconds(60));
        assertThat(problem.details()).containsExactly("instance a defined the job last");
    }

    @Test
    void itemThatEndedInstancesIsRatherLeftOut() {
        List<ItemDetails> items = List.of(
                item("0", State.QUARANTINED, false, Duration.ZERO, ItemOutcome.FAILED),
                item("1", State.QUARANTINED, false, Duration.ZERO, ItemOutcome.CRASHED));

        assertThat(of(healthy(), items).get(0).remedies())
                .extracting(Problem.Remedy::command)
                .containsExactly(
                        new Command.DisableItem("settle", "1"),
                        new Command.ReleaseItem("settle", "0"),
                        new Command.ReleaseItem("settle", "1"),
                        null);
    }

    @Test
    void reasonsNameTheInstanceInsteadOfThisInstance() {
        ClusterHealth health = new ClusterHealth(
                Map.of(
                        "settle",
                        List.of(
                                reason(JobHealth.Kind.CLOSING, "being closed in this instance", A),
                                reason(JobHealth.Kind.UNREADABLE, "so this instance follows no plan", A, "b@1@3"))),
                Map.of(),
                Map.of());

        assertThat(Views.summary(new JobView("settle", null, null, null, JobView.Damages.NONE), health, 0, NOW)
                        .health())
                .extracting(each -> each.reason().text())
                .containsExactly("being closed in instance a", "so the instance follows no plan");
    }

    @Test
    void onlyTheSlowRunOfAFireIsStopped() {
        List<ItemDetails> items = List.of(
                item("0", State.RUNNING, false, Duration.ofMinutes(5), null),
                item("1", State.RUNNING, false, Duration.ofSeconds(5), null));

        assertThat(of(healthy(), items)).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Kind.SLOW_ITEMS);
            assertThat(each.remedies().get(0).command()).isEqualTo(new Command.StopFire("settle", "0", "settle@1"));
        });
    }
}
