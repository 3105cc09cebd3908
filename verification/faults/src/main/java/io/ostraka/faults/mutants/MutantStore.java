package io.ostraka.faults.mutants;

import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.ForwardingStore;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A store that changes the operations of its caller; base class of the stores with defects. It recognises a transaction
 * by its operations. Instead of removing an operation, it replaces the operation with a check of a node that always
 * exists, so that the indices of the other operations stay the same.
 */
class MutantStore extends ForwardingStore {
    private static final Pattern RECORD = Pattern.compile("/jobs/[^/]+/sharding/[^/]+");
    static final Pattern FIRE = Pattern.compile("/jobs/[^/]+/fires/[^/]+");

    MutantStore(NodeStore real) {
        super(real);
    }

    static boolean isRecord(NodeOp operation) {
        return isRecord(operation.path());
    }

    /** Returns whether this is the path of an item's record. */
    static boolean isRecord(String path) {
        return RECORD.matcher(path).matches();
    }

    /** Returns whether a transaction claims items. */
    static boolean claims(List<NodeOp> operations) {
        return operations.stream()
                .anyMatch(operation ->
                        operation instanceof NodeOp.Create && operation.path().endsWith("/running"));
    }

    /**
     * Returns whether a transaction ends runs. Such a transaction begins with the write of a record, because only the
     * record's version guards it.
     */
    static boolean completes(List<NodeOp> operations) {
        return operations.get(0) instanceof NodeOp.Set && isRecord(operations.get(0));
    }

    /** Returns whether an operation concerns the progress of a fire. */
    static boolean isFire(NodeOp operation) {
        return FIRE.matcher(operation.path()).matches();
    }

    /** Returns whether this is the path of a job's override. */
    static boolean isOverride(String path) {
        return path.startsWith("/jobs/") && path.endsWith("/override");
    }

    /** Returns whether this is the path of a job's plan. */
    static boolean isPlan(String path) {
        return path.endsWith("/sharding");
    }

    /** Returns whether this is the path of a job's backfill. */
    static boolean isBackfill(String path) {
        return path.startsWith("/backfills/");
    }

    static boolean isBackfill(NodeOp operation) {
        return isBackfill(operation.path());
    }

    /**
     * Returns whether a transaction only names the caller of once-listeners, or only records the end of the caller's
     * call.
     */
    static boolean tells(List<NodeOp> operations) {
        return isFire(operations.get(0));
    }

    /** Returns whether a transaction is part of the leader's cleanup and records items of a fire as ended. */
    static boolean cleansUp(List<NodeOp> operations) {
        return operations.get(0).path().startsWith("/leader/")
                && operations.stream().anyMatch(MutantStore::isFire);
    }

    /** Returns whether a transaction releases a delayed trigger. */
    static boolean releases(List<NodeOp> operations) {
        return operations.stream().anyMatch(operation -> operation.path().startsWith("/delayed/"))
                && operations.stream()
                        .anyMatch(operation -> operation instanceof NodeOp.Create
                                && operation.path().startsWith("/triggers/"));
    }

    /** Returns whether a transaction cancels a delayed trigger. */
    static boolean cancels(List<NodeOp> operations) {
        return operations.stream().anyMatch(operation -> operation.path().startsWith("/delayed/"))
                && operations.stream().anyMatch(MutantStore::isFire);
    }

    /** Returns whether an operation writes a new leader epoch. */
    static boolean takesEpoch(NodeOp operation) {
        return operation instanceof NodeOp.Set && operation.path().equals("/leader/epoch");
    }

    /** Returns the operation without its version check. */
    static NodeOp unversioned(NodeOp operation) {
        return operation instanceof NodeOp.Set set && isRecord(set)
                ? new NodeOp.Set(set.path(), set.data(), NodeOp.ANY_VERSION)
                : operation;
    }

    /** Returns the replacement for an omitted operation. */
    static NodeOp nothing() {
        return new NodeOp.Check("/instances", NodeOp.ANY_VERSION);
    }
}
