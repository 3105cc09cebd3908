package io.ostraka.console.server;

import java.time.Duration;

/**
 * Limits of the HTTP server.
 *
 * @param threads number of requests that are answered at the same time
 * @param queue number of further requests that wait for a thread; more requests are refused
 * @param connections largest number of connections; more connections wait
 * @param idle time after which a connection is closed if no byte has moved
 * @param body time within which a client must send a body
 */
record Limits(int threads, int queue, int connections, Duration idle, Duration body) {
    static final Limits DEFAULT = new Limits(32, 64, 512, Duration.ofSeconds(30), Duration.ofSeconds(30));

    /** Largest size of the request line and the headers of a request, in bytes. */
    static final int HEADERS = 16 << 10;

    /** Longest time for running requests at a stop. */
    static final Duration STOP = Duration.ofSeconds(10);
}
