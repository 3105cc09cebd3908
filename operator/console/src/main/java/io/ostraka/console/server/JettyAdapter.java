package io.ostraka.console.server;

import io.ostraka.console.LargeBodies;
import io.ostraka.console.Problem;
import io.ostraka.console.live.Reply;
import java.time.InstantSource;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Passes the requests of Jetty to handlers, on a pool with a bounded queue. Jetty's own threads only move bytes. The
 * health has a thread of its own, so that it answers while all other threads wait for ZooKeeper.
 */
final class JettyAdapter extends org.eclipse.jetty.server.Handler.Abstract.NonBlocking {
    /** Name of the connector that answers only probes. */
    static final String PROBES = "probes";

    private static final int WAITING_PROBES = 16;

    private final Handler handler;
    private final Health health;
    private final Limits limits;
    private final Workers workers;
    private final Workers probes;
    private @Nullable Connections connections;
    private final LargeBodies bodies = new LargeBodies();

    JettyAdapter(Handler handler, Health health, Limits limits, InstantSource clock) {
        this.handler = handler;
        this.health = health;
        this.limits = limits;
        this.workers = new Workers("ostraka-console", limits.threads(), limits.queue(), clock);
        this.probes = new Workers("ostraka-console-health", 1, WAITING_PROBES, clock);
    }

    /** Returns the watch over the connections of the connector whose requests this adapter gets. */
    Connections watch(ServerConnector connector, boolean proxied) {
        Connections watched = new Connections(
                connector, proxied ? Integer.MAX_VALUE : Math.max(1, limits.connections() / 4), limits.idle());
        connections = watched;
        return watched;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback, limits, bodies);
        boolean isProbe =
                PROBES.equals(request.getConnectionMetaData().getConnector().getName());
        if (connections != null && !isProbe) {
            connections.began(request);
        }
        String path = request.getHttpURI().getPath();
        if (Health.LIVE.equals(path)) {
            exchange.start(each -> Reply.of(health.handle(each, workers)), Runnable::run); // it never waits
        } else if (Health.READY.equals(path)) {
            exchange.start(each -> Reply.of(health.handle(each, workers)), probes);
        } else if (isProbe) {
            exchange.start(JettyAdapter::noProbe, Runnable::run);
        } else {
            exchange.start(handler, workers);
        }
        return true;
    }

    private static Reply noProbe(io.ostraka.console.Request request) {
        throw new Problem(Problem.Code.NOT_FOUND, "this port answers only " + Health.LIVE + " and " + Health.READY);
    }

    @Override
    protected void doStop() throws Exception {
        super.doStop();
        workers.shutdownNow();
        probes.shutdownNow();
    }
}
