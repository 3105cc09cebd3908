package io.ostraka.api;

import java.io.IOException;

/** A secret that is known by its place. */
final class ReferencedSecret implements Secret {
    /** Looks at a place. */
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
        } catch (IOException | RuntimeException e) { // a path that is none
            throw new IllegalStateException("Cannot read the secret " + reference + ": " + e, e);
        }
    }

    @Override
    public String toString() {
        return reference;
    }
}
