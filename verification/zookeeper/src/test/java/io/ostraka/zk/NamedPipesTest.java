package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.api.CoordinationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.common.ClientX509Util;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests named pipes in the place of files. Opening a pipe waits until a second program opens the other end. */
@Tag("cluster")
@Timeout(60)
class NamedPipesTest {
    private static final Path MKFIFO = Path.of("/usr/bin/mkfifo");
    private static final String REFUSAL = ": it is not a regular file";

    @TempDir
    Path directory;

    @BeforeEach
    void requirePipes() {
        assumeTrue(Files.isExecutable(MKFIFO), "there is no program mkfifo");
    }

    private Path pipe(String name) throws Exception {
        Path pipe = directory.resolve(name);
        assertThat(new ProcessBuilder(MKFIFO.toString(), pipe.toString())
                        .start()
                        .waitFor())
                .isZero();
        return pipe;
    }

    @Test
    void lockFileMustBeARegularFile() throws Exception {
        Path pipe = pipe("pipe");
        Path link = Files.createSymbolicLink(directory.resolve("link"), pipe);
        Path folder = Files.createDirectory(directory.resolve("folder"));

        for (Path each : new Path[] {pipe, link, folder, pipe}) { // a refusal leaves no reservation behind
            assertThatThrownBy(() -> LockFile.tryLock(each))
                    .isInstanceOf(IOException.class)
                    .hasMessage(each + REFUSAL);
        }
    }

    @Test
    void embeddedServerRefusesAPipeAsItsFiles() throws Exception {
        for (String name : new String[] {"ostraka.port", "ostraka.lock"}) {
            Path pipe = pipe(name);
            assertThatThrownBy(() -> EmbeddedZooKeeper.start(directory, 0))
                    .isInstanceOf(CoordinationException.class)
                    .hasMessageContaining(pipe + REFUSAL);
            Files.delete(pipe);
        }
        EmbeddedZooKeeper.start(directory, 0).close();
    }

    @Test
    void storeOfTlsMustBeARegularFile() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("trust.p12"), pipe("pipe"));

        try (var client = new ClientX509Util()) {
            assertThatThrownBy(() -> client.createSSLContext(
                            Tls.trusting(link, "secret"::toCharArray).clientConfig()))
                    .hasStackTraceContaining(link + REFUSAL);
        }
    }
}
