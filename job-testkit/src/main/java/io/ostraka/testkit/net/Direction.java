package io.ostraka.testkit.net;

/** Direction of data on a connection. */
public enum Direction {
    /** From the client to the server. */
    TO_SERVER,
    /** From the server to the client. */
    TO_CLIENT
}
