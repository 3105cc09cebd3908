package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Treats an unknown result of a transaction as a failure, and sends the transaction again on the next connection. */
final class ResendingStore extends MutantStore {
    private record Unsent(List<NodeOp> operations, CompletableFuture<Outcome> answer) {}

    private final List<Unsent> unsent = new ArrayList<>();

    ResendingStore(NodeStore real) {
        super(real);
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        super.commit(operations).thenAccept(outcome -> {
            if (outcome instanceof Outcome.Unknown) {
                keep(new Unsent(operations, answer));
            } else {
                answer.complete(outcome);
            }
        });
        return answer;
    }

    private synchronized void keep(Unsent each) {
        unsent.add(each);
    }

    private synchronized List<Unsent> takeUnsent() {
        List<Unsent> all = List.copyOf(unsent);
        unsent.clear();
        return all;
    }

    private void sendAgain() {
        takeUnsent().forEach(each -> commit(each.operations).thenAccept(each.answer::complete));
    }

    @Override
    public void start(Listener listener) {
        super.start(new Listener() {
            @Override
            public void connected(long sessionId, Duration sessionTimeout) {
                sendAgain();
                listener.connected(sessionId, sessionTimeout);
            }

            @Override
            public void suspended() {
                listener.suspended();
            }

            @Override
            public void lost() {
                listener.lost();
            }

            @Override
            public void hindered(String why) {
                listener.hindered(why);
            }

            @Override
            public void limited(@Nullable String what) {
                listener.limited(what);
            }

            @Override
            public void changed(String path, boolean deleted) {
                listener.changed(path, deleted);
            }

            @Override
            public void leadership(Optional<String> candidate) {
                listener.leadership(candidate);
            }
        });
    }
}
