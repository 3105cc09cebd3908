package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;

/** Exceptions for requests that cannot be carried out. */
public final class Refusals {
    private Refusals() {}

    /** Returns the exception for a job that is not registered. */
    public static CoordinationException unknown(String job) {
        return CoordinationException.notFound(
                "job '" + job + "' is not registered in this namespace: check the name, or register the job first");
    }

    /** Returns the exception for a request after the connection was closed. */
    static CoordinationException closed() {
        return new CoordinationException("this registry is closed; open a new one");
    }
}
