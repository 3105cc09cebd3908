package io.ostraka.faults.ensemble;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The committed transactions of an ensemble according to its servers' logs, independently of the results that clients
 * received. Immutable.
 */
public final class TransactionLogs {
    private final List<Event.Transaction> transactions;

    private TransactionLogs(List<Event.Transaction> transactions) {
        this.transactions = List.copyOf(transactions);
    }

    /**
     * Reads and merges the logs of all servers of an ensemble.
     *
     * @throws IllegalStateException if the logs are inconsistent: a transaction is missing, or it is unclear whether a
     *     transaction was committed; the message names the transaction
     */
    public static TransactionLogs read(List<Path> serverDirectories) throws IOException {
        Committed committed = new Committed();
        for (Path directory : serverDirectories) {
            committed.add(ServerLog.read(directory));
        }
        Tree tree = new Tree();
        return new TransactionLogs(committed.all().stream().map(tree::take).toList());
    }

    /**
     * Returns all transactions that write below a namespace, and the ends of all sessions, in order. The returned paths
     * are relative to the namespace, as clients use them.
     */
    public List<Event.Transaction> of(String namespace) {
        String root = "/" + namespace;
        List<Event.Transaction> all = new ArrayList<>();
        for (Event.Transaction transaction : transactions) {
            List<Write> writes = transaction.writes().stream()
                    .filter(write -> write.path().startsWith(root + "/"))
                    .map(write -> below(root, write))
                    .toList();
            if (!writes.isEmpty() || transaction.endsSession()) {
                all.add(new Event.Transaction(
                        transaction.zxid(),
                        transaction.at(),
                        transaction.session(),
                        transaction.endsSession(),
                        writes));
            }
        }
        return all;
    }

    private static Write below(String root, Write write) {
        String path = write.path().substring(root.length());
        if (write instanceof Write.Created created) {
            return new Write.Created(path, created.data(), created.ephemeral());
        } else if (write instanceof Write.Changed changed) {
            return new Write.Changed(path, changed.data());
        } else {
            return new Write.Deleted(path);
        }
    }
}
