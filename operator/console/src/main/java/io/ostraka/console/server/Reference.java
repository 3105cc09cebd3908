package io.ostraka.console.server;

import io.ostraka.api.Secret;
import io.ostraka.console.SmallFile;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A value that the settings only refer to: <code>${env:NAME}</code> or <code>${file:PATH}</code>. */
final class Reference {
    private static final String ENVIRONMENT = "${env:";
    private static final String FILE = "${file:";
    private static final String END = "}";

    /** Largest file in bytes. */
    private static final int LARGEST = 64 << 10;

    private Reference() {}

    static boolean isReference(String value) {
        return (value.startsWith(ENVIRONMENT) || value.startsWith(FILE)) && value.endsWith(END);
    }

    /** Returns the file of a reference; empty if the value refers to no file. */
    static Optional<Path> file(String value) {
        try {
            return isReference(value) && value.startsWith(FILE)
                    ? Optional.of(Path.of(value.substring(FILE.length(), value.length() - END.length())))
                    : Optional.empty();
        } catch (InvalidPathException e) { // reported when the value is read
            return Optional.empty();
        }
    }

    /**
     * Returns the value of the setting. If it is a reference, returns the content of the variable or file, without line
     * ends at the end of the content.
     *
     * @throws IOException if the reference is to a missing variable or file; the message names it
     */
    static String resolve(String value, Map<String, String> environment) throws IOException {
        if (!isReference(value)) {
            return value;
        }
        String place = value.substring(value.indexOf(':') + 1, value.length() - END.length());
        if (value.startsWith(ENVIRONMENT)) {
            String found = environment.get(place);
            if (found == null) {
                throw new IOException("the environment variable " + place + " is not set");
            }
            return found.replaceFirst("[\\r\\n]+$", "");
        }
        try {
            return SmallFile.text(Path.of(place), LARGEST).replaceFirst("[\\r\\n]+$", "");
        } catch (IOException | RuntimeException e) { // also a path that no file can have
            throw new IOException("the file " + place + " cannot be read" + SmallFile.because(e), e);
        }
    }

    /** Returns a secret that is read at each use, so that a changed file takes effect with the next connection. */
    static Secret secret(String value, Map<String, String> environment) {
        return () -> {
            try {
                return resolve(value, environment).toCharArray();
            } catch (IOException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        };
    }
}
