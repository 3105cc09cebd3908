package io.ostraka.history;

import io.ostraka.history.row.Row;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file, for people, with the rows that the database has refused and the entries that could not be read. */
final class RejectedRows {
    /** Name of the file. */
    static final String FILE = "rejected.txt";

    private static final Logger log = LoggerFactory.getLogger(RejectedRows.class);
    /** Size of the file from which no further row is added, in bytes. */
    private static final long LIMIT = 10L << 20;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final int LONGEST_REASON = 300;

    private final InstantSource time;
    private final Path file;
    private final AtomicLong count = new AtomicLong();
    /** True if the file did not take a row, which is logged once. */
    private boolean unwritten;

    RejectedRows(Path directory, InstantSource time) {
        this.time = time;
        this.file = directory.resolve(FILE);
    }

    long count() {
        return count.get();
    }

    /** Adds a row. If the file cannot be written, the row is only counted, so that the rows after it do not wait. */
    void keep(Row row, @Nullable String why) {
        keep(row.toString().getBytes(StandardCharsets.UTF_8), why);
    }

    void keep(byte[] row, @Nullable String why) {
        String reason = why == null
                ? "no reason"
                : Texts.bounded(why.lines().findFirst().orElse(""), LONGEST_REASON);
        boolean first = count.getAndIncrement() == 0;
        try {
            write(row, reason);
        } catch (IOException e) {
            if (!unwritten) {
                unwritten = true;
                log.error("a row of the history was refused, and {} does not take it: {}", file, reason, e);
            }
            return;
        }
        if (first) {
            log.error("a row of the history was refused; {} has it and those that follow: {}", file, reason);
        }
    }

    private void write(byte[] row, String reason) throws IOException {
        if (!Files.exists(file)) {
            boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
            Files.createFile(file, posix ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0]);
        }
        if (Files.size(file) <= LIMIT) {
            String line = time.instant() + " " + reason + ": " + new String(row, StandardCharsets.UTF_8);
            Files.writeString(
                    file, line.replaceAll("\\R", " ") + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
