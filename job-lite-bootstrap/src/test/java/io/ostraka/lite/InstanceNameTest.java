package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that instances on one host have distinct names, and that each has the same name after a restart. */
class InstanceNameTest {
    @TempDir
    Path directory;

    private InstanceName onHost(String namespace) {
        return InstanceName.onHost(directory, namespace, "web");
    }

    @Test
    void instancesOnOneHostTakeFirstFreeNumbers() {
        InstanceName first = onHost("orders");
        try (InstanceName second = onHost("orders");
                InstanceName other = onHost("billing")) {
            assertThat(List.of(first, second, other)).asString().isEqualTo("[web, web-2, web]");
            first.close();
            try (InstanceName restarted = onHost("orders");
                    InstanceName third = onHost("orders")) {
                assertThat(List.of(restarted, third)).asString().isEqualTo("[web, web-3]");
            }
        }
    }

    private RunningProgram start() throws IOException {
        return Program.java(NamedProcess.class).arguments(directory).start();
    }

    @Tag("cluster")
    @Test
    void nextProcessTakesNameOfKilledProcessAtOnce() throws Exception {
        try (RunningProgram process = start()) {
            assertThat(process.readLine()).isEqualTo("web");
            try (InstanceName second = onHost("orders")) {
                assertThat(second).hasToString("web-2");
            }
            process.kill();
            try (InstanceName next = onHost("orders")) {
                assertThat(next).hasToString("web");
            }
        }
    }

    /** On Linux, a process releases a lock when it closes any handle of the file. */
    @Tag("cluster")
    @Test
    void searchForSecondNameKeepsLockOfFirstName() throws Exception {
        Path sameDirectory = directory.resolve(".");
        try (InstanceName first = onHost("orders");
                InstanceName second = InstanceName.onHost(sameDirectory, "orders", "web")) {
            assertThat(List.of(first, second)).asString().isEqualTo("[web, web-2]");
            try (RunningProgram process = start()) {
                assertThat(process.readLine()).isEqualTo("web-3");
            }
        }
    }

    /** Owns a name until the process is killed. */
    static final class NamedProcess {
        public static void main(String[] arguments) throws IOException {
            System.out.println(InstanceName.onHost(Path.of(arguments[0]), "orders", "web"));
            System.in.read();
        }
    }

    @Test
    void usesHostNameWithoutDirectory() {
        try (InstanceName name = InstanceName.onHost(directory.resolve("missing"), "orders", "web")) {
            assertThat(name).hasToString("web");
        }
    }

    @Test
    void builderRejectsInvalidName() {
        RegistryBuilder builder = ZooKeeperRegistry.newBuilder("localhost:1", "orders");
        for (String name : List.of("", "a b", "a@b", "a/b", "x".repeat(129))) {
            assertThatThrownBy(() -> builder.instanceName(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("instanceName is '" + name + "'; accepted: ");
        }
    }
}
