package io.ostraka.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A way to read a secret, such as a password. The library reads the secret each time it needs it and does not keep it,
 * so that a changed password takes effect with the next session. Logs, messages and ZooKeeper contain at most the place
 * of a secret, never its value.
 *
 * <p>An application can implement this interface to fetch a secret: {@code () -> vault.password("orders")}. The library
 * calls this code on its own threads, so it should return quickly. If it throws an exception, the connection fails and
 * the library logs the exception's message.
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
     * Returns a secret that is read from the given place each time: <code>${env:NAME}</code> is an environment variable
     * of this process, and <code>${file:PATH}</code> is a text file in UTF-8. Line ends at the end of the file are
     * ignored. The place is checked when the secret is read, not by this method.
     *
     * @throws IllegalArgumentException if the reference has neither form; the message does not contain the reference,
     *     which may be the secret itself
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
            return new ReferencedSecret(
                    reference, place -> Files.readString(Path.of(place)).replaceFirst("[\\r\\n]+$", ""));
        }
        throw new IllegalArgumentException(
                "a secret's reference is not valid; accepted: ${env:NAME} or ${file:PATH}, or an implementation of Secret");
    }
}
