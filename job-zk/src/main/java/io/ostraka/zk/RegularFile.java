package io.ostraka.zk;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Check of the files that a person names, or that other users of the machine may have created. */
public final class RegularFile {
    private RegularFile() {}

    /**
     * Returns a file that is safe to open. Opening a named pipe can wait for ever, and a device may have no end.
     *
     * @param links {@link LinkOption#NOFOLLOW_LINKS} to refuse a link to a regular file, too
     * @throws IOException if the file exists, but is not a regular file or a link to one
     */
    public static Path require(Path file, LinkOption... links) throws IOException {
        if (Files.exists(file, links) && !Files.isRegularFile(file, links)) {
            throw new FileSystemException(file.toString(), null, "it is not a regular file");
        }
        return file;
    }
}
