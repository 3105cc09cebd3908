package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.recorder.EventSink;
import io.ostraka.faults.recorder.Recorder;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to a worker's log. If the engine has stopped a run just before a call of its code returned, corrects
 * the recorded end of the call. Thread-safe.
 */
final class LogSink implements EventSink {
    /** A call of user code that was recorded as returned, without a stop by the engine. */
    private record Returned(ShardingContext context, EventLog.Line line, Event.Ended ended) {}

    private final EventLog log;
    private final ThreadLocal<@Nullable Returned> last = new ThreadLocal<>();

    LogSink(EventLog log) {
        this.log = log;
    }

    @Override
    public void record(Event event) {
        log.append(event);
    }

    @Override
    public void ended(ShardingContext context, Event.Ended ended) {
        EventLog.Line line = log.append(ended);
        last.set(ended.told() != null ? null : new Returned(context, line, ended));
    }

    /**
     * Returns an executor that runs each task on the given executor, and then checks again whether the engine has
     * stopped the task's run. The engine may stop a run after the end of its code was recorded, but before the code has
     * returned to the engine. The engine then treats the run as stopped, so the record must be corrected.
     */
    Executor correcting(Executor workers) {
        return task -> workers.execute(() -> {
            try {
                task.run();
            } finally {
                Returned returned = last.get();
                last.remove();
                String stop = returned == null ? null : Recorder.stop(returned.context);
                if (returned != null && stop != null) {
                    Event.Ended was = returned.ended;
                    log.append(new EventLog.Line(
                            returned.line.nanos() + 1,
                            returned.line.wall(),
                            new Event.Ended(was.at(), was.process(), was.run(), was.failed(), stop)));
                }
            }
        });
    }
}
