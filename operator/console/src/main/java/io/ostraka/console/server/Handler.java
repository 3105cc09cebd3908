package io.ostraka.console.server;

import io.ostraka.console.Request;

/** Answers requests. Thread-safe. */
@FunctionalInterface
interface Handler {
    /** Answers a request; every failure becomes a response. May wait for ZooKeeper or the database. */
    Reply handle(Request request);
}
