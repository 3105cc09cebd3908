package io.ostraka.console;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Check of the files that a person names. */
public final class RegularFile {
    private RegularFile() {}

    /**
     * Returns a file that can be opened. To open a named pipe could take for ever, and a device may have no end.
     *
     * @throws IOException if the file exists, but is not a regular file or a link to one
     */
    public static Path require(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new FileSystemException(file.toString(), null, "it is not a regular file");
        }
        return file;
    }
}
