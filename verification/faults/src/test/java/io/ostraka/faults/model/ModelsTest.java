package io.ostraka.faults.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.time.SystemClock;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that the protocol holds in every state, and that each of its rules prevents a violation in some state. */
@Tag("faults")
@Timeout(900) // the largest model takes minutes beside the cluster tests
class ModelsTest {
    @ParameterizedTest
    @EnumSource
    void everyInvariantHoldsAndEveryStateCanFinish(Check check) {
        Findings findings = check(check.without(Set.of()));

        assertThat(findings.violation()).as("%s", findings.trail()).isNull();
        assertThat(findings.states()).isGreaterThan(100);
    }

    @ParameterizedTest
    @EnumSource
    void withoutARuleAnInvariantBreaks(Rule rule) {
        Findings findings = check(rule.shownBy().without(rule.toBreak()));

        assertThat(findings.violation()).isNotNull();
        assertThat(findings.trail()).isNotEmpty();
    }

    static Stream<Rule> backupRules() {
        return Arrays.stream(Rule.values()).filter(rule -> rule.backsUp() != null);
    }

    @ParameterizedTest
    @MethodSource("backupRules")
    void backupRuleHasNoEffectWhileTheFirstRuleHolds(Rule rule) {
        assertThat(check(rule.shownBy().without(EnumSet.of(rule))).violation()).isNull();
    }

    /**
     * Compares a model without both rules with one that lacks only the first rule: its violation shows after fewer
     * steps, or is a different one.
     */
    @ParameterizedTest
    @MethodSource("backupRules")
    void backupRuleLimitsTheLossOfTheFirstRule(Rule rule) {
        Findings both = check(rule.shownBy().without(rule.toBreak()));
        Findings first = check(rule.shownBy().without(EnumSet.of(rule.backsUp())));

        boolean sooner =
                first.violation() != null && both.trail().size() < first.trail().size();
        assertThat(sooner || !Objects.equals(both.violation(), first.violation()))
                .as("without both: %s; without the first: %s", both.trail(), first.trail())
                .isTrue();
    }

    private static <W extends World> Findings check(Model<W> model) {
        return new Checker<>(model, new SystemClock(), (states, depth) -> {}).check();
    }
}
