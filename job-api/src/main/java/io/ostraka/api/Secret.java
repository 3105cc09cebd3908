package io.ostraka.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a secret is to be had. It is read each time it is needed and kept nowhere, so that a changed password counts from
 * the next session on; what is written down, logged or stored is at most the place, never the secret.
 *
 * <p>Code that fetches one is a secret too: {@code () -> vault.password("orders")}. It is called on threads of the
 * library and should be quick; what it throws keeps the connection from coming about, and is logged by its message.
 */
@FunctionalInterface
public interface Secret {
    /**
     * Fetches the secret.
     *
     * @return a copy, which the caller may overwrite
     */
    char[] read();

    /**
     * A secret by its place: <code>${env:NAME}</code>, a variable of the process's environment, or <code>${file:PATH}</code>,
     * a text file in UTF-8, whose line ends at its end don't count. The place is looked at when the secret is read.
     *
     * @throws IllegalArgumentException when it is neither; the message doesn't repeat it, as it may be the secret itself
     */
    static Secret of(String reference) {
        if (reference.startsWith("${env:") && reference.endsWith("}")) {
            return new ReferencedSecret(reference, place -> {
                String value = System.getenv(place);
                if (value == null) {
                    throw new IOException("the environment has no such variable");
                }
                return value;
            });
        }
        if (reference.startsWith("${file:") && reference.endsWith("}")) {
            return new ReferencedSecret(
                    reference, place -> Files.readString(Path.of(place)).replaceFirst("[\\r\\n]+$", ""));
        }
        throw new IllegalArgumentException(
                "A secret is given as ${env:NAME} or ${file:PATH}, or as code that fetches it, not as text");
    }
}
