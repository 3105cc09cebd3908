package io.ostraka.zk;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Outcome.Reason;
import io.ostraka.core.tree.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** Translates ZooKeeper's replies into the values of the node store. */
final class Answers {
    private Answers() {}

    /**
     * Returns the outcome of a transaction.
     *
     * @param rc result code of the transaction
     * @param results result of each operation; null or empty if the server sent none
     */
    static Outcome outcome(int rc, @Nullable List<OpResult> results) {
        if (rc == Code.OK.intValue() && results != null) {
            return committed(results);
        }
        if (results != null) {
            for (int i = 0; i < results.size(); i++) {
                if (results.get(i) instanceof OpResult.ErrorResult error && isCause(error.getErr())) {
                    return rejected(i, error.getErr());
                }
            }
        }
        return rejected(-1, rc);
    }

    private static Outcome committed(List<OpResult> results) {
        for (OpResult result : results) {
            if (result instanceof OpResult.SetDataResult written) {
                Stat stat = written.getStat();
                return new Outcome.Committed(stat.getMzxid(), Instant.ofEpochMilli(stat.getMtime()));
            }
        }
        return new Outcome.Committed(0, Instant.EPOCH);
    }

    /**
     * Returns whether an operation with this result code caused the rejection of its transaction. The server marks the
     * operations before this one as successful and the operations after it as inconsistent.
     */
    private static boolean isCause(int rc) {
        return rc != Code.OK.intValue() && rc != Code.RUNTIMEINCONSISTENCY.intValue();
    }

    private static Outcome rejected(int index, int rc) {
        if (isUnknown(rc)) {
            return new Outcome.Unknown();
        }
        return new Outcome.Rejected(index, reason(code(rc)));
    }

    private static Reason reason(Code code) {
        return switch (code) {
            case BADVERSION -> Reason.BAD_VERSION;
            case NONODE -> Reason.NO_NODE;
            case NODEEXISTS -> Reason.NODE_EXISTS;
            case NOTEMPTY -> Reason.NOT_EMPTY;
            default -> Reason.REFUSED;
        };
    }

    /**
     * Returns true if a result code leaves open whether the server has executed the request: the connection or the
     * session ended before the reply, or the reply is not conclusive.
     */
    static boolean isUnknown(int rc) {
        return switch (code(rc)) {
            case CONNECTIONLOSS,
                    OPERATIONTIMEOUT,
                    REQUESTTIMEOUT,
                    SESSIONEXPIRED,
                    SESSIONMOVED,
                    SESSIONCLOSEDREQUIRESASLAUTH,
                    AUTHFAILED,
                    SYSTEMERROR,
                    RUNTIMEINCONSISTENCY,
                    DATAINCONSISTENCY -> true;
            default -> false;
        };
    }

    static Code code(int rc) {
        try {
            return Code.get(rc);
        } catch (IllegalArgumentException e) {
            return Code.SYSTEMERROR; // a code of a newer server
        }
    }

    /**
     * Result of reading a node.
     *
     * @param rc OK if the node was read or does not exist
     * @param node the node; empty if the node does not exist; null if the read failed
     */
    record Read(int rc, @Nullable Optional<Node> node) {}

    static Read read(String path, OpResult result) {
        if (result instanceof OpResult.GetDataResult found) {
            return new Read(Code.OK.intValue(), Optional.of(node(path, found.getData(), found.getStat())));
        }
        int rc = result instanceof OpResult.ErrorResult error ? error.getErr() : Code.SYSTEMERROR.intValue();
        return rc == Code.NONODE.intValue() ? new Read(Code.OK.intValue(), Optional.empty()) : new Read(rc, null);
    }

    private static Node node(String path, byte @Nullable [] data, Stat stat) {
        return new Node(
                path,
                data == null ? new byte[0] : data,
                new Node.Stat(
                        stat.getVersion(),
                        stat.getCzxid(),
                        stat.getMzxid(),
                        Instant.ofEpochMilli(stat.getCtime()),
                        Instant.ofEpochMilli(stat.getMtime()),
                        stat.getEphemeralOwner()));
    }
}
