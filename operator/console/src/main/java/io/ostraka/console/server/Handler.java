package io.ostraka.console.server;

import io.ostraka.console.LargeBodies;
import io.ostraka.console.Request;
import io.ostraka.console.live.Reply;

/** Answers requests. Thread-safe. */
@FunctionalInterface
interface Handler {
    /**
     * Answers a request. May wait for ZooKeeper or the database.
     *
     * @throws io.ostraka.console.Problem if the request is refused
     */
    Reply handle(Request request);

    /**
     * Checks a request with a large body before the body is read. Does not wait.
     *
     * @param head the request without its body
     * @return name of the caller
     * @throws io.ostraka.console.Problem if the request is refused, as it is by default
     */
    default String admitLargeBody(Request head) {
        throw LargeBodies.tooLarge(LargeBodies.SMALL);
    }
}
