package io.ostraka.api.event;

/** An event of one run of one item. */
public sealed interface RunEvent extends JobEvent
        permits ItemClaimed, ItemTakenOver, RunStarted, RunRetried, RunEnded, RunFenced, RunLost, RunRecorded {
    /** Returns the claim that the run belongs to. */
    Claim claim();

    @Override
    default String job() {
        return claim().job();
    }

    @Override
    default String instanceId() {
        return claim().instanceId();
    }
}
