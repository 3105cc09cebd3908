package io.ostraka.api.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that every view and every command has exactly one entry in {@link Operation}. */
class OperationTest {
    private static Stream<Class<?>> records(Class<?> type) {
        return type.isSealed()
                ? Arrays.stream(type.getPermittedSubclasses()).flatMap(OperationTest::records)
                : Stream.of(type);
    }

    @Test
    void everyCommandHasOneOperation() {
        List<Class<?>> commands = records(Command.class).toList();
        List<Class<? extends Command>> named = Arrays.stream(Operation.values())
                .map(Operation::command)
                .filter(Objects::nonNull)
                .<Class<? extends Command>>map(each -> each)
                .toList();

        assertThat(named).doesNotHaveDuplicates();
        assertThat(List.<Class<?>>copyOf(named)).containsExactlyInAnyOrderElementsOf(commands);
    }

    @Test
    void everyViewHasOneOperation() {
        List<String> views = Arrays.stream(Operations.class.getMethods())
                .filter(method -> method.getReturnType() != CommandResult.class)
                .map(Method::getName)
                .distinct() // a view of all jobs and of one job can have the same name
                .map(name -> name.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT))
                .toList();

        assertThat(Arrays.stream(Operation.values())
                        .filter(operation -> !operation.changes())
                        .map(Operation::name))
                .containsExactlyInAnyOrderElementsOf(views);
    }

    @Test
    void viewsNeedNoMoreThanTheRoleOfAViewer() {
        for (Operation operation : Operation.values()) {
            assertThat(operation.role() == Role.VIEWER).as(operation.name()).isEqualTo(!operation.changes());
            assertThat(operation.summary()).endsWith(".");
        }
    }
}
