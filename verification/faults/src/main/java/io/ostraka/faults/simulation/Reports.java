package io.ostraka.faults.simulation;

import io.ostraka.api.event.Claim;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunLost;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Item;
import java.util.function.Consumer;

/** Records the reports of one process about the ends of claims. */
final class Reports implements EventSubscriber {
    private final String process;
    private final Consumer<Event> history;

    /** @param history receives the reports; must ignore them after the process was killed */
    Reports(String process, Consumer<Event> history) {
        this.process = process;
        this.history = history;
    }

    @Override
    public void on(io.ostraka.api.event.Event event) {
        if (event instanceof RunEnded ended) {
            report(event, ended.claim(), true);
        } else if (event instanceof RunRecorded recorded) {
            report(event, recorded.claim(), false);
        } else if (event instanceof RunLost lost) {
            report(event, lost.claim(), false);
        } else if (event instanceof ItemTakenOver takenOver) {
            report(event, takenOver.interrupted(), false);
        }
    }

    private void report(io.ostraka.api.event.Event event, Claim claim, boolean own) {
        history.accept(new Event.Reported(
                event.at(), process, new Item(claim.job(), claim.item()), claim.nonce(), claim.instanceId(), own));
    }
}
