package io.ostraka.console.server;

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
}
