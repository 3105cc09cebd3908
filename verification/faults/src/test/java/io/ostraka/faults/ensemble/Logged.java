package io.ostraka.faults.ensemble;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.txn.CloseSessionTxn;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.DeleteTxn;
import org.apache.zookeeper.txn.ErrorTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;
import org.apache.zookeeper.txn.TxnHeader;
import org.jspecify.annotations.Nullable;

/** Makes logged transactions for tests. All of them belong to session 7 and have the time 0. */
final class Logged {
    static final long SESSION = 7;

    private Logged() {}

    static LoggedTransaction of(long zxid, int type, @Nullable Record content) {
        return new LoggedTransaction(new TxnHeader(SESSION, 0, zxid, 0, type), content);
    }

    static LoggedTransaction create(long zxid, String path, boolean ephemeral) {
        return of(zxid, OpCode.create, creation(path, ephemeral));
    }

    static LoggedTransaction change(long zxid, String path, int version) {
        return of(zxid, OpCode.setData, new SetDataTxn(path, new byte[0], version));
    }

    static LoggedTransaction delete(long zxid, String path) {
        return of(zxid, OpCode.delete, new DeleteTxn(path));
    }

    static LoggedTransaction endOfSession(long zxid, String... paths) {
        return of(zxid, OpCode.closeSession, new CloseSessionTxn(List.of(paths)));
    }

    /** Returns a transaction that creates one node and deletes another node. */
    static LoggedTransaction move(long zxid, String from, String to) {
        return of(
                zxid,
                OpCode.multi,
                new MultiTxn(
                        List.of(part(OpCode.create, creation(to, false)), part(OpCode.delete, new DeleteTxn(from)))));
    }

    /** Returns a failed transaction that would have created a node. */
    static LoggedTransaction failed(long zxid, String path) {
        return of(
                zxid,
                OpCode.multi,
                new MultiTxn(
                        List.of(part(OpCode.create, creation(path, false)), part(OpCode.error, new ErrorTxn(-103)))));
    }

    private static CreateTxn creation(String path, boolean ephemeral) {
        return new CreateTxn(path, new byte[0], List.of(), ephemeral, 0);
    }

    private static Txn part(int type, Record content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.serialize(BinaryOutputArchive.getArchive(bytes), "part");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Txn(type, bytes.toByteArray());
    }
}
