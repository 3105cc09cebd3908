package io.ostraka.history.spool;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.history.row.Measurement;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that appends rows. */
@Tag("cluster")
class KilledWriterTest {
    /** Number of rows that the process has reported when it is killed; it has then filled several segments. */
    private static final int REPORTED = 2_000;

    @TempDir
    Path directory;

    /** The process that is killed. It reports each row after the append has returned. */
    static final class Writer {
        private Writer() {}

        /**
         * Appends rows until the process is killed.
         *
         * @param arguments the directory
         */
        public static void main(String[] arguments) throws IOException {
            try (SpoolDirectory spools = new SpoolDirectory(Path.of(arguments[0]), 1L << 30, 20_000)) {
                for (long number = 1; ; number++) {
                    spools.append(List.of(new Measurement("job", Instant.EPOCH, "SUCCEEDED", number, null)));
                    System.out.println(number);
                }
            }
        }
    }

    @Test
    void everyReportedRowSurvivesTheKill() throws IOException {
        try (RunningProgram process =
                Program.java(Writer.class).arguments(directory).start()) {
            process.readUntil(Integer.toString(REPORTED));
        }

        List<Long> rows = new ArrayList<>();
        try (SpoolDirectory survivor = new SpoolDirectory(directory, 1L << 30, 20_000)) {
            Spool adopted = survivor.spools().get(0);
            Position at = Position.START;
            for (Spool.Chunk chunk = adopted.read(at, 100); !chunk.rows().isEmpty(); chunk = adopted.read(at, 100)) {
                assertThat(chunk.unreadable()).isEmpty();
                chunk.rows().forEach(row -> rows.add(((Measurement) row.row()).count()));
                at = chunk.next();
            }
        }
        assertThat(rows.size()).isGreaterThanOrEqualTo(REPORTED);
        assertThat(rows)
                .isEqualTo(LongStream.rangeClosed(1, rows.size()).boxed().toList());
    }
}
