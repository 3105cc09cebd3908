package io.ostraka.cli;

import com.google.gson.JsonObject;
import io.ostraka.cli.transport.Failure;
import io.ostraka.console.Body;
import io.ostraka.console.Problem;
import io.ostraka.console.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads files with JSON documents. */
final class Documents {
    /** Largest file in bytes. Without its blanks, it must fit into a request. */
    private static final int LARGEST = 16 << 20;

    private static final String STANDARD_INPUT = "-";

    private Documents() {}

    /** Reads a file; a hyphen stands for the standard input. */
    static JsonObject read(String file) {
        try {
            return Body.object(
                    "content of " + file,
                    file.equals(STANDARD_INPUT) ? input() : SmallFile.text(Path.of(file), LARGEST));
        } catch (Problem e) {
            throw Failure.usage(e.getMessage() + "; accepted: the output of 'ostraka namespace export'");
        } catch (IOException | InvalidPathException e) {
            throw Failure.usage("the file " + file + " is not readable" + SmallFile.because(e)
                    + "; accepted: a regular file of at most " + LARGEST
                    + " bytes in UTF-8, or - for the standard input");
        }
    }

    private static String input() throws IOException {
        byte[] bytes = System.in.readNBytes(LARGEST + 1);
        if (bytes.length > LARGEST) {
            throw Failure.usage("the standard input has more than " + LARGEST + " bytes; accepted: at most " + LARGEST);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
