package io.ostraka.faults.mutants;

import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.testkit.ForwardingStore;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A store that changes what goes through it, for defects to be made of. What a transaction is for is told by its
 * operations; one that is left out is replaced by a check of a node that is always there, so that indices stay.
 */
class MutantStore extends ForwardingStore {
    private static final Pattern RECORD = Pattern.compile("/jobs/[^/]+/sharding/[^/]+");
    static final Pattern FIRE = Pattern.compile("/jobs/[^/]+/fires/[^/]+");

    MutantStore(NodeStore real) {
        super(real);
    }

    static boolean isRecord(NodeOp operation) {
        return RECORD.matcher(operation.path()).matches();
    }

    /** Whether a transaction claims items. */
    static boolean claims(List<NodeOp> operations) {
        return operations.stream()
                .anyMatch(operation ->
                        operation instanceof NodeOp.Create && operation.path().endsWith("/running"));
    }

    /** Whether a transaction ends runs: the record's version alone guards it. */
    static boolean completes(List<NodeOp> operations) {
        return operations.get(0) instanceof NodeOp.Set && isRecord(operations.get(0));
    }

    /** Whether an operation is about how far a fire is. */
    static boolean isFire(NodeOp operation) {
        return FIRE.matcher(operation.path()).matches();
    }

    /** Whether a transaction says by whom once-listeners are told of a fire, or that they have been, and nothing else. */
    static boolean tells(List<NodeOp> operations) {
        return isFire(operations.get(0));
    }

    /** Returns whether a transaction is a step of the leader's cleanup that ends items of a fire. */
    static boolean cleansUp(List<NodeOp> operations) {
        return operations.get(0).path().startsWith("/leader/")
                && operations.stream().anyMatch(MutantStore::isFire);
    }

    /** Whether an operation takes the leader's epoch. */
    static boolean takesEpoch(NodeOp operation) {
        return operation instanceof NodeOp.Set && operation.path().equals("/leader/epoch");
    }

    /** The same without a look at the version. */
    static NodeOp unversioned(NodeOp operation) {
        return operation instanceof NodeOp.Set set && isRecord(set)
                ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                : operation;
    }

    /** What stands for an operation that is left out. */
    static NodeOp nothing() {
        return new NodeOp.Check("/instances", NodeOp.ANY_VERSION);
    }
}
