package io.ostraka.console.server;

import io.ostraka.console.Request;
import io.ostraka.console.security.SecuredApi;

/** Answers requests by the secured API. */
final class ConsoleHandler implements Handler, AutoCloseable {
    private final SecuredApi secured;

    ConsoleHandler(SecuredApi secured) {
        this.secured = secured;
    }

    @Override
    public Reply handle(Request request) {
        return new Reply.Whole(secured.handle(request));
    }

    /** Ends all streams of events. */
    @Override
    public void close() {}
}
