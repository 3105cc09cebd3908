package io.ostraka.testkit;

import io.ostraka.core.time.Alarm;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import io.ostraka.core.tree.NodeStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/**
 * Counts the calls that an engine makes to its alarm, its timer, its workers and its store. It can make one of these
 * calls throw an Error, like a JVM that has run out of memory or threads. Calls to the thread pool of the serial
 * executors are not counted: a serial executor repeats a failed call after a pause in real time, which a test with
 * manual time cannot advance.
 */
final class FailingPorts {
    private static final Set<String> LEFT_ALONE = Set.of("close", "toString", "hashCode", "equals", "start");

    private long calls;
    private long failing = -1;

    /** Returns the number of calls so far. */
    long calls() {
        return calls;
    }

    /** Makes the call with the given number throw an Error. The first call has the number 1. */
    void failAt(long call) {
        failing = call;
    }

    private void called(String what) {
        if (++calls == failing) {
            throw new OutOfMemoryError("injected at call " + calls + ", " + what);
        }
    }

    Platform around(Platform platform) {
        return new Platform(
                        platform.clock(),
                        around(Alarm.class, platform.alarm()),
                        around(Timer.class, platform.timer()),
                        platform.engineThreads(),
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
