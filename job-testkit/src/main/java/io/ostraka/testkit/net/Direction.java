package io.ostraka.testkit.net;

/** Which way something is said. */
public enum Direction {
    /** By a client. */
    TO_SERVER,
    /** By the server. */
    TO_CLIENT
}
