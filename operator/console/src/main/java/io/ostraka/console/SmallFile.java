package io.ostraka.console;

import io.ostraka.zk.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads the files that a person names: settings, secrets and documents. The size is limited, so that a wrong path cannot
 * fill the memory.
 */
public final class SmallFile {
    private SmallFile() {}

    /**
     * Returns the content of a file.
     *
     * @param largest largest size in bytes
     * @throws FileSystemException with a reason, if the file is not a regular file or is larger; the reason has the size
     *     and the limit
     * @throws IOException if the file cannot be read
     */
    public static byte[] read(Path file, int largest) throws IOException {
        try (InputStream content = Files.newInputStream(RegularFile.require(file))) {
            byte[] bytes = content.readNBytes(largest + 1); // the size of the file may change, or not be known
            if (bytes.length > largest) {
                throw new FileSystemException(
                        file.toString(),
                        null,
                        "it has " + Math.max(Files.size(file), bytes.length) + " bytes; accepted: at most " + largest);
            }
            return bytes;
        }
    }

    /**
     * Returns the content of a file as text.
     *
     * @throws java.nio.charset.CharacterCodingException if the content is not UTF-8
     * @throws IOException as {@link #read} does
     */
    public static String text(Path file, int largest) throws IOException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(read(file, largest)))
                .toString();
    }

    /** Returns the reason why a file was refused, as a part of a sentence; empty text if the exception has none. */
    public static String because(Throwable e) {
        return e instanceof FileSystemException refused
                        && refused.getReason() != null
                        && refused.getReason().startsWith("it ")
                ? ", because " + refused.getReason()
                : "";
    }
}
