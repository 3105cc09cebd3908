package io.ostraka.faults.mutants;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Hides the checkpoint of an interrupted fire from the run that takes the fire over, until this run saves a checkpoint.
 */
final class ForgetfulStore extends MutantStore {
    private static final String CHECKPOINT = "/checkpoint";
    private static final Pattern TAKEOVER = Pattern.compile("\"state\":\"RUNNING\".*\"attempt\":(?!1,)");

    private final Set<String> forgotten = ConcurrentHashMap.newKeySet();

    ForgetfulStore(NodeStore real) {
        super(real);
    }

    @Override
    public CompletionStage<Outcome> commit(List<NodeOp> operations) {
        for (NodeOp operation : operations) {
            if (operation instanceof NodeOp.Set set && isRecord(set)) {
                String record = new String(set.data(), StandardCharsets.UTF_8);
                if (TAKEOVER.matcher(record).find()) {
                    forgotten.add(set.path() + CHECKPOINT);
                } else {
                    forgotten.remove(set.path() + CHECKPOINT);
                }
            } else {
                forgotten.remove(operation.path());
            }
        }
        return super.commit(operations);
    }

    @Override
    public CompletionStage<Optional<Node>> read(String path, boolean watch) {
        return forgotten.contains(path) ? CompletableFuture.completedStage(Optional.empty()) : super.read(path, watch);
    }
}
