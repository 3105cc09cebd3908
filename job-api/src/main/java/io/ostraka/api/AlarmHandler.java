package io.ostraka.api;

/**
 * Receives the alarms of the namespace, for example to send them to people. Pass a handler to the registry's builder on
 * every instance, because any instance may become the leader.
 *
 * <p>Only the leader calls handlers. It calls them on a worker thread, one alarm after the other. An alarm is delivered
 * at least once: if a handler throws an exception, or if the leader dies before it has recorded the delivery, the alarm
 * is delivered again with the same {@link Alarm#idempotencyKey()}. If a handler fails, the leader repeats the call for
 * this handler only, after pauses that grow from 5 seconds to 5 minutes. If the alarm ends before the handler has
 * accepted its beginning, the handler receives both messages.
 */
public interface AlarmHandler {
    /**
     * Handles the beginning or the end of an alarm. Should return within a few seconds, because later alarms wait.
     *
     * @param alarm the alarm
     * @throws Exception if the alarm could not be handled; the leader tries again later
     */
    void handle(Alarm alarm) throws Exception;

    /**
     * Returns a name that is unique among the handlers of an instance and the same on all instances. The leader stores
     * the name in ZooKeeper to mark a delivery. The default is the name of the class. The class of a lambda expression
     * has a different name in each process; for it the default is empty, and the engine uses the position of the
     * handler instead, such as {@code handler-1}.
     */
    default String name() {
        return getClass().isHidden() || getClass().isSynthetic()
                ? ""
                : getClass().getName();
    }
}
