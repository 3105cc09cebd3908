package io.ostraka.console.server;

import io.ostraka.console.live.Reply;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Passes the requests of Jetty to handlers, on a pool with a bounded queue. Jetty's own threads only move bytes. The
 * health has a thread of its own, so that it answers while all other threads wait for ZooKeeper.
 */
final class JettyAdapter extends org.eclipse.jetty.server.Handler.Abstract.NonBlocking {
    private static final int WAITING_PROBES = 16;
    private static final long IDLE_SECONDS = 60;

    private final Handler handler;
    private final Health health;
    private final Limits limits;
    private final ThreadPoolExecutor workers;
    private final ThreadPoolExecutor probes;
    private final AtomicLong bodies = new AtomicLong();

    JettyAdapter(Handler handler, Health health, Limits limits) {
        this.handler = handler;
        this.health = health;
        this.limits = limits;
        this.workers = pool("ostraka-console", limits.threads(), limits.queue());
        this.probes = pool("ostraka-console-health", 1, WAITING_PROBES);
    }

    /** Creates a pool that refuses a task if all threads are busy and the queue is full. */
    private static ThreadPoolExecutor pool(String name, int threads, int queue) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new ArrayBlockingQueue<>(queue), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback, limits, bodies);
        String path = request.getHttpURI().getPath();
        if (Health.LIVE.equals(path)) {
            exchange.start(each -> Reply.of(health.handle(each)), Runnable::run); // it never waits
        } else if (Health.READY.equals(path)) {
            exchange.start(each -> Reply.of(health.handle(each)), probes);
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
