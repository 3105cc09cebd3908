package io.ostraka.api;

import java.io.IOException;

/** A secret in an environment variable or in a file. The value is read at each use. */
final class ReferencedSecret implements Secret {
    interface Source {
        String read(String place) throws IOException;
    }

    private final String reference;
    private final Source source;

    ReferencedSecret(String reference, Source source) {
        this.reference = reference;
        this.source = source;
    }

    @Override
    public char[] read() {
        try {
            return source.read(reference.substring(reference.indexOf(':') + 1, reference.length() - 1))
                    .toCharArray();
        } catch (IOException | RuntimeException e) { // a RuntimeException if the place is not a valid path
            throw new IllegalStateException("cannot read the secret " + reference + ": " + e, e);
        }
    }

    @Override
    public String toString() {
        return reference;
    }
}
