package io.ostraka.console.live;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Operations;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of requests that wait for one namespace, so that a namespace that does not answer leaves threads for
 * the others. A request that finds no place waits for one, but at most {@value #PATIENCE_MILLIS} ms. It is around {@link
 * SharedViews}, because callers that share a read wait, too.
 */
public final class Bulkhead implements InvocationHandler {
    /** Enough for the requests of several pages that were opened at the same time, if ZooKeeper answers. */
    private static final long PATIENCE_MILLIS = 1_000;

    private final String namespace;
    private final Operations operations;
    private final Semaphore places;

    private Bulkhead(String namespace, Operations operations, int places) {
        this.namespace = namespace;
        this.operations = operations;
        this.places = new Semaphore(places, true);
    }

    /**
     * Returns operations of which only some calls run at the same time.
     *
     * @param places largest number of calls that run
     */
    public static Operations around(String namespace, Operations operations, int places) {
        return (Operations) Proxy.newProxyInstance(
                Operations.class.getClassLoader(),
                new Class<?>[] {Operations.class},
                new Bulkhead(namespace, operations, places));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (!hasPlace()) {
            throw new CoordinationException("namespace '" + namespace
                    + "' has too many waiting requests at the moment; nothing was changed, so try again later");
        }
        try {
            return method.invoke(operations, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        } finally {
            places.release();
        }
    }

    private boolean hasPlace() {
        try {
            return places.tryAcquire(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
