package io.ostraka.cli;

import com.google.gson.JsonObject;
import io.ostraka.cli.terminal.Json;
import io.ostraka.cli.transport.Failure;
import io.ostraka.zk.RegularFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files with JSON documents. */
final class Documents {
    private static final int LARGEST = 64 << 20;

    private Documents() {}

    /** Reads a file; a hyphen stands for the standard input. */
    static JsonObject read(String file) {
        try {
            byte[] bytes = file.equals("-") ? System.in.readNBytes(LARGEST + 1) : readFile(Path.of(file));
            if (bytes.length > LARGEST) {
                throw Failure.usage("the document in " + file + " has more than " + (LARGEST >> 20) + " MiB");
            }
            JsonObject json = Json.object(new String(bytes, java.nio.charset.StandardCharsets.UTF_8));
            if (json == null) {
                throw Failure.usage("the content of " + file + " is not a JSON object; accepted: the output of"
                        + " 'ostraka namespace export'");
            }
            return json;
        } catch (IOException e) {
            throw Failure.usage(
                    "the file " + file + " is not readable; accepted: a regular file, or - for the standard input");
        }
    }

    private static byte[] readFile(Path path) throws IOException {
        return Files.size(RegularFile.require(path)) > LARGEST ? new byte[LARGEST + 1] : Files.readAllBytes(path);
    }
}
