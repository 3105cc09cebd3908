package io.ostraka.testkit;

import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import io.ostraka.core.tree.NodeStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/**
 * Counts the calls that an engine makes to its fire timer, its timer, its threads, its workers and its store. It can make one
 * of these calls throw an Error, like a JVM that has run out of memory or threads.
 */
final class FailingPorts {
    private static final Set<String> LEFT_ALONE = Set.of("close", "rescue", "toString", "hashCode", "equals", "start");

    private long calls;
    private long failing = -1;
    private String next = "";

    /** Returns the number of calls so far. */
    long calls() {
        return calls;
    }

    /** Makes the call with the given number throw an Error. The first call has the number 1. */
    void failAt(long call) {
        failing = call;
    }

    /** Makes the next call of a method throw an Error, such as {@code NodeStore.unwatch}. */
    void failNext(String method) {
        next = method;
    }

    private void called(String what) {
        if (++calls == failing || what.equals(next)) {
            next = "";
            throw new OutOfMemoryError("injected at call " + calls + ", " + what);
        }
    }

    Platform around(Platform platform) {
        return new Platform(
                        platform.clock(),
                        around(FireTimer.class, platform.fireTimer()),
                        around(Timer.class, platform.timer()),
                        task -> {
                            called("engineThreads.execute");
                            platform.engineThreads().execute(task);
                        },
                        task -> {
                            called("workers.execute");
                            platform.workers().execute(task);
                        },
                        platform.waiting())
                .withTurn(platform.turn());
    }

    NodeStore around(NodeStore store) {
        return around(NodeStore.class, store);
    }

    private <T> T around(Class<T> port, T target) {
        return port.cast(
                Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, (proxy, method, arguments) -> {
                    if (!LEFT_ALONE.contains(method.getName())) {
                        called(port.getSimpleName() + "." + method.getName());
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
