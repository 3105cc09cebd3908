package io.ostraka.console.server;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Operations;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of requests that wait for one namespace, so that a namespace that does not answer leaves threads for
 * the others. Further requests fail at once.
 */
final class Bulkhead implements InvocationHandler {
    private final String namespace;
    private final Operations operations;
    private final Semaphore places;

    private Bulkhead(String namespace, Operations operations, int places) {
        this.namespace = namespace;
        this.operations = operations;
        this.places = new Semaphore(places);
    }

    static Operations around(String namespace, Operations operations, int places) {
        return (Operations) Proxy.newProxyInstance(
                Operations.class.getClassLoader(),
                new Class<?>[] {Operations.class},
                new Bulkhead(namespace, operations, places));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (!places.tryAcquire()) {
            throw new CoordinationException("namespace '" + namespace
                    + "' has too many waiting requests, because ZooKeeper answers slowly; nothing was changed, so try"
                    + " again later");
        }
        try {
            return method.invoke(operations, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        } finally {
            places.release();
        }
    }
}
