package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
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

    private java.lang.Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        NamedProcess.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Tag("cluster")
    @Test
    void nextProcessTakesNameOfKilledProcessAtOnce() throws Exception {
        java.lang.Process process = start();
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("web");
            try (InstanceName second = onHost("orders")) {
                assertThat(second).hasToString("web-2");
            }
            process.destroyForcibly().waitFor();
            try (InstanceName next = onHost("orders")) {
                assertThat(next).hasToString("web");
            }
        } finally {
            process.destroyForcibly();
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
            java.lang.Process process = start();
            try (BufferedReader output = process.inputReader()) {
                assertThat(output.readLine()).isEqualTo("web-3");
            } finally {
                process.destroyForcibly();
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
