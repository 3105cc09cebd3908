package io.ostraka.testkit;

import io.ostraka.core.time.Alarm;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Timer;
import io.ostraka.core.tree.NodeStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;

/**
 * Counts what an engine asks of its machine and of its store, and has one call of these throw an Error, as a JVM without memory
 * or threads does. The lanes' own executor is left out: a lane asks it again by the true time.
 */
final class FailingPorts {
    private static final Set<String> LEFT_ALONE = Set.of("close", "toString", "hashCode", "equals", "start");

    private long calls;
    private long failing = -1;

    /** Returns how many calls there were. */
    long calls() {
        return calls;
    }

    /** Has the call of this number throw, counted from 1 on. */
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
                        platform.lanes(),
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
