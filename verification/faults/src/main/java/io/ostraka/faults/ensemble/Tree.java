package io.ostraka.faults.ensemble;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.ByteBufferInputStream;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateContainerTxn;
import org.apache.zookeeper.txn.CreateTTLTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/**
 * The nodes after the transactions processed so far. This class checks that each transaction is possible in the state
 * that its predecessors have left. It thereby detects missing and uncommitted transactions.
 */
final class Tree {
    private record Node(int version, long session) {}

    private final NavigableMap<String, Node> nodes = new TreeMap<>();
    private final Map<Long, Set<String>> ephemerals = new TreeMap<>();

    /** Applies a transaction and returns its changes. */
    Event.Transaction take(LoggedTransaction transaction) {
        TxnHeader header = transaction.header();
        boolean endsSession = header.getType() == OpCode.closeSession;
        List<Write> writes = new ArrayList<>();
        try {
            if (endsSession) {
                end(header.getClientId(), (CloseSessionTxn) transaction.content(), writes);
            } else {
                take(header, header.getType(), transaction.content(), writes);
            }
        } catch (IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + " in " + transaction, e);
        } catch (IOException e) {
            throw new UncheckedIOException("a transaction cannot be read: " + transaction, e);
        }
        return new Event.Transaction(
                transaction.zxid(), Instant.ofEpochMilli(header.getTime()), header.getClientId(), endsSession, writes);
    }

    private void take(TxnHeader header, int type, @Nullable Record content, List<Write> writes) throws IOException {
        if (content instanceof MultiTxn multi) {
            if (multi.getTxns().stream().noneMatch(each -> each.getType() == OpCode.error)) {
                for (Txn each : multi.getTxns()) {
                    take(header, each.getType(), read(each), writes);
                }
            }
        } else if (content instanceof CreateTxn create) {
            create(create.getPath(), create.getData(), create.getEphemeral() ? header.getClientId() : 0, writes);
        } else if (content instanceof CreateTTLTxn create) {
            create(create.getPath(), create.getData(), 0, writes);
        } else if (content instanceof CreateContainerTxn create) {
            create(create.getPath(), create.getData(), 0, writes);
        } else if (content instanceof SetDataTxn change) {
            change(change, writes);
        } else if (content instanceof DeleteTxn delete) {
            delete(delete.getPath(), writes);
        } // the other types (new sessions, checks, failures, authentication) change no node
    }

    private static @Nullable Record read(Txn part) throws IOException {
        Record content =
                switch (part.getType()) {
                    case OpCode.create, OpCode.create2 -> new CreateTxn();
                    case OpCode.createTTL -> new CreateTTLTxn();
                    case OpCode.createContainer -> new CreateContainerTxn();
                    case OpCode.delete, OpCode.deleteContainer -> new DeleteTxn();
                    case OpCode.setData -> new SetDataTxn();
                    case OpCode.check -> null;
                    default -> throw new IOException("unknown part of type " + part.getType());
                };
        if (content != null) {
            ByteBufferInputStream.byteBuffer2Record(ByteBuffer.wrap(part.getData()), content);
        }
        return content;
    }

    private void create(String path, byte @Nullable [] data, long session, List<Write> writes) {
        insist(nodes.put(path, new Node(0, session)) == null, path, "is created, but already exists");
        if (session != 0) {
            ephemerals.computeIfAbsent(session, key -> new TreeSet<>()).add(path);
        }
        writes.add(new Write.Created(path, text(data), session != 0));
    }

    private void change(SetDataTxn change, List<Write> writes) {
        Node before = nodes.get(change.getPath());
        if (before == null) {
            insist(isFromTheStart(change.getPath()), change.getPath(), "is written, but does not exist");
            return;
        }
        insist(
                change.getVersion() == before.version() + 1,
                change.getPath(),
                "is written at version " + change.getVersion() + " after " + before.version());
        nodes.put(change.getPath(), new Node(change.getVersion(), before.session()));
        writes.add(new Write.Changed(change.getPath(), text(change.getData())));
    }

    /** Returns whether a node is one of ZooKeeper's built-in nodes, which no transaction creates. */
    private static boolean isFromTheStart(String path) {
        return path.startsWith("/zookeeper");
    }

    private void delete(String path, List<Write> writes) {
        Node before = nodes.remove(path);
        if (before == null) {
            throw new IllegalStateException(path + " is deleted, but does not exist");
        }
        if (before.session() != 0) {
            ephemerals.getOrDefault(before.session(), new HashSet<>()).remove(path);
        }
        writes.add(new Write.Deleted(path));
    }

    private void end(long session, @Nullable CloseSessionTxn listing, List<Write> writes) {
        Set<String> owned = ephemerals.getOrDefault(session, Set.of());
        if (listing != null) {
            Set<String> listed = new TreeSet<>(listing.getPaths2Delete());
            insist(
                    listed.equals(owned),
                    "session 0x" + Long.toHexString(session),
                    "ends with " + listed + ", but has " + owned);
        }
        List.copyOf(owned).forEach(path -> delete(path, writes));
        ephemerals.remove(session);
    }

    private static void insist(boolean holds, String what, String problem) {
        if (!holds) {
            throw new IllegalStateException(what + " " + problem);
        }
    }

    private static String text(byte @Nullable [] data) {
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }
}
