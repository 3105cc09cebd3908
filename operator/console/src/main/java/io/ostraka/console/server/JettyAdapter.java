package io.ostraka.console.server;

import io.ostraka.console.LargeBodies;
import io.ostraka.console.live.Reply;
import java.time.InstantSource;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Passes the requests of Jetty to handlers, on a pool with a bounded queue. Jetty's own threads only move bytes. The
 * health has a thread of its own, so that it answers while all other threads wait for ZooKeeper.
 */
final class JettyAdapter extends org.eclipse.jetty.server.Handler.Abstract.NonBlocking {
    private static final int WAITING_PROBES = 16;

    private final Handler handler;
    private final Health health;
    private final Limits limits;
    private final Workers workers;
    private final Workers probes;
    private final LargeBodies bodies = new LargeBodies();

    JettyAdapter(Handler handler, Health health, Limits limits, InstantSource clock) {
        this.handler = handler;
        this.health = health;
        this.limits = limits;
        this.workers = new Workers("ostraka-console", limits.threads(), limits.queue(), clock);
        this.probes = new Workers("ostraka-console-health", 1, WAITING_PROBES, clock);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback, limits, bodies);
        String path = request.getHttpURI().getPath();
        if (Health.LIVE.equals(path)) {
            exchange.start(each -> Reply.of(health.handle(each, workers)), Runnable::run); // it never waits
        } else if (Health.READY.equals(path)) {
            exchange.start(each -> Reply.of(health.handle(each, workers)), probes);
        } else {
            exchange.start(handler, workers);
        }
        return true;
    }

    @Override
    protected void doStop() throws Exception {
        super.doStop();
        workers.shutdownNow();
        probes.shutdownNow();
    }
}
