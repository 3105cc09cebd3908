package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.Operation;
import io.ostraka.cli.transport.ExitCode;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Tests that the command line has every operation, with every part of its command. */
class ParityTest {
    private static Verb verb(Operation operation) {
        return Verbs.all().stream()
                .filter(each -> each.operation() == operation)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no verb for " + operation));
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void everyOperationHasOneVerbWithItsSummary(Operation operation) {
        assertThat(Verbs.all().stream().filter(each -> each.operation() == operation))
                .hasSize(1);
        assertThat(verb(operation).summary()).isEqualTo(operation.summary());
        assertThat(verb(operation).changes()).isEqualTo(operation.changes());
    }

    @ParameterizedTest
    @EnumSource(Operation.class)
    void everyPartOfACommandHasAParameter(Operation operation) {
        Class<? extends Command> command = operation.command();
        if (command == null) {
            return;
        }
        Set<String> parts = Arrays.stream(command.getRecordComponents())
                .map(RecordComponent::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> members = verb(operation).parameters().stream()
                .map(Parameter::member)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(members).isEqualTo(parts);
    }

    @Test
    void everyVerbIsInTheCommandLineWithAHelp() {
        CommandLine root = CommandTree.of(Harness.surroundings(), Verbs.all());
        for (Verb verb : Verbs.all()) {
            CommandLine line = root;
            for (String word : verb.path().split(" ", -1)) {
                line = line.getSubcommands().get(word);
                assertThat(line).as(verb.path()).isNotNull();
            }
            String help = line.getUsageMessage(CommandLine.Help.Ansi.OFF);
            assertThat(help.replaceAll("\\s+", " ")).contains(verb.summary().replaceAll("\\s+", " "));
            verb.parameters().forEach(each -> assertThat(help).contains(each.name()));
        }
    }

    @Test
    void helpListsEveryExitCode() {
        String help = CommandTree.of(Harness.surroundings(), Verbs.all()).getUsageMessage(CommandLine.Help.Ansi.OFF);

        for (ExitCode each : ExitCode.values()) {
            assertThat(help).contains(String.valueOf(each.code()));
            assertThat(help.replaceAll("\\s+", " ")).contains(each.meaning());
        }
    }
}
