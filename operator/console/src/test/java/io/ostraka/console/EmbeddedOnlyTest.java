package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.process.Program;
import java.io.File;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("cluster")
class EmbeddedOnlyTest {
    private static final Pattern OPTIONAL =
            Pattern.compile(".*(history|lite-bootstrap|job-zk|jetty|Hikari|zookeeper|curator|h2-).*");

    @Test
    @Timeout(60)
    void applicationThatEmbedsTheApiNeedsNoOptionalDependency() throws Exception {
        String classes = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !OPTIONAL.matcher(entry.replaceFirst(".*/(?=[^/]+/[^/]+/[^/]+/?$)", ""))
                        .matches())
                .collect(Collectors.joining(File.pathSeparator));

        String output = Program.java(EmbeddedOnly.class).classPath(classes).run();

        assertThat(output.lines()).containsExactly("200", "404");
    }
}
