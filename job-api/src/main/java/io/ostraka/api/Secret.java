package io.ostraka.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a secret, such as a password. The library reads the secret each time it is needed and does not keep the value,
 * so that a changed password takes effect with the next session. Logs, messages and ZooKeeper never contain the value
 * of a secret, only its reference.
 *
 * <p>An application can implement this interface to fetch a secret: {@code () -> vault.password("orders")}. The library
 * calls {@link #read} on its own threads, so the method should return quickly. If it throws an exception, the operation
 * that needs the secret fails (connecting, for example), and the library logs the exception's message.
 */
@FunctionalInterface
public interface Secret {
    /**
     * Reads the secret.
     *
     * @return a copy, which the caller may overwrite
     */
    char[] read();

    /**
     * Returns a secret that is read at each use, from an environment variable of this process
     * (<code>${env:NAME}</code>) or from a text file in UTF-8 (<code>${file:PATH}</code>). Line ends at the end of the
     * file are ignored. This method does not check whether the variable or file exists.
     *
     * @throws IllegalArgumentException if the reference has a different form; the message does not contain the
     *     reference, which may be the secret itself
     */
    static Secret of(String reference) {
        if (reference.startsWith("${env:") && reference.endsWith("}")) {
            return new ReferencedSecret(reference, place -> {
                String value = System.getenv(place);
                if (value == null) {
                    throw new IOException("the environment variable is not set");
                }
                return value;
            });
        }
        if (reference.startsWith("${file:") && reference.endsWith("}")) {
            return new ReferencedSecret(reference, place -> {
                Path file = Path.of(place);
                if (Files.exists(file) && !Files.isRegularFile(file)) { // a named pipe waits for a second program
                    throw new IOException("it is not a regular file");
                }
                return Files.readString(file).replaceFirst("[\\r\\n]+$", "");
            });
        }
        throw new IllegalArgumentException(
                "a secret's reference is not valid; accepted: ${env:NAME} or ${file:PATH}, or an implementation of Secret");
    }
}
