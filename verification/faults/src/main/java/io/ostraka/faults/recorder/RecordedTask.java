package io.ostraka.faults.recorder;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import io.ostraka.faults.history.Event;
import org.jspecify.annotations.Nullable;

/** A child task of a run that is recorded from its start to its last callback. It runs on one thread. */
final class RecordedTask implements Tasks.Task<Object> {
    private final Recorder recorder;
    private final ShardingContext context;
    private final int number;
    private final @Nullable String key;
    private final Recorder.Code<?> code;
    private boolean begun;
    private boolean failed;

    RecordedTask(Recorder recorder, ShardingContext context, int number, @Nullable String key, Recorder.Code<?> code) {
        this.recorder = recorder;
        this.context = context;
        this.number = number;
        this.key = key;
        this.code = code;
    }

    private void record(boolean over) {
        recorder.record(
                new Event.Task(recorder.now(), recorder.process(), Recorder.key(context), number, key, over, failed));
    }

    void ended(boolean failure) {
        failed |= failure;
        record(true);
    }

    @Override
    public Object call() throws Exception {
        begun = true;
        record(false);
        return code.run();
    }

    @Override
    public void failed(Throwable failure) {
        failed = true;
    }

    @Override
    public void timedOut(boolean cancelled) {
        failed = true;
    }

    @Override
    public void completed() {
        if (begun) {
            ended(failed);
        }
    }
}
