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

/** What ZooKeeper's answers mean. */
final class Answers {
    private Answers() {}

    /**
     * What became of a transaction.
     *
     * @param rc result of the whole
     * @param results of each operation; missing or empty when the server sent none
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

    /** Of a rejected transaction, what stands before the cause is marked as fine and what follows as inconsistent. */
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

    /** Whether the connection or the session went before the answer came, or the answer says nothing certain. */
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
            return Code.SYSTEMERROR; // of a newer server
        }
    }

    /**
     * What reading a node came to.
     *
     * @param rc fine if it was read or is missing
     * @param node null if it can't be known
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
                stat.getVersion(),
                stat.getCzxid(),
                stat.getMzxid(),
                Instant.ofEpochMilli(stat.getCtime()),
                Instant.ofEpochMilli(stat.getMtime()),
                stat.getEphemeralOwner());
    }
}
