package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Instances of one host are told apart, and each is called after a restart as it was before. */
class InstanceNameTest {
    @TempDir
    Path directory;

    private InstanceName onHost(String namespace) {
        return InstanceName.onHost(directory, namespace, "web");
    }

    @Test
    void instancesOfAHostHaveTheFirstNumbersThatAreFree() {
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

    @Test
    void aProcessThatIsKilledLeavesItsNameToTheNextOneAtOnce() throws Exception {
        java.lang.Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = holder.inputReader()) {
            assertThat(said.readLine()).isEqualTo("web");
            try (InstanceName beside = onHost("orders")) {
                assertThat(beside).hasToString("web-2");
            }
            holder.destroyForcibly().waitFor();
            try (InstanceName next = onHost("orders")) {
                assertThat(next).hasToString("web");
            }
        } finally {
            holder.destroyForcibly();
        }
    }

    /** Has a name until it is killed. */
    static final class Holder {
        public static void main(String[] arguments) throws IOException {
            System.out.println(InstanceName.onHost(Path.of(arguments[0]), "orders", "web"));
            System.in.read();
        }
    }

    @Test
    void withoutADirectoryTheHostsNameIsTaken() {
        try (InstanceName name = InstanceName.onHost(directory.resolve("missing"), "orders", "web")) {
            assertThat(name).hasToString("web");
        }
    }

    @Test
    void aNameThatCanNotBeOneIsRefusedWhereItIsSet() {
        RegistryBuilder builder = ZooKeeperRegistry.newBuilder("localhost:1", "orders");
        for (String name : List.of("", "a b", "a@b", "a/b", "x".repeat(129))) {
            assertThatThrownBy(() -> builder.instanceName(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("instanceName is '" + name + "'; accepted: ");
        }
    }
}
