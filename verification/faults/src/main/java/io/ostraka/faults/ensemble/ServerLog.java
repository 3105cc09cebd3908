package io.ostraka.faults.ensemble;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.InputArchive;
import org.apache.zookeeper.server.TxnLogEntry;
import org.apache.zookeeper.server.persistence.FileHeader;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.Util;
import org.apache.zookeeper.server.util.SerializeUtils;

/**
 * Reads the log of one server. This class does not use ZooKeeper's iterator, because that iterator deletes files. If a
 * server was killed while it wrote a transaction, its log may end in the middle of this transaction.
 */
final class ServerLog {
    private ServerLog() {}

    /** Reads all files in the order in which they were written. */
    static List<LoggedTransaction> read(Path serverDirectory) throws IOException {
        List<LoggedTransaction> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(serverDirectory.resolve("version-2"))) {
            List<Path> logs = files.filter(file -> file.getFileName().toString().startsWith("log."))
                    .sorted(Comparator.comparingLong(ServerLog::firstZxid))
                    .toList();
            for (Path log : logs) {
                readFile(log, all);
            }
        }
        return all;
    }

    private static long firstZxid(Path log) {
        return Util.getZxidFromName(log.getFileName().toString(), FileTxnLog.LOG_FILE_PREFIX);
    }

    private static void readFile(Path log, List<LoggedTransaction> all) throws IOException {
        try (BufferedInputStream in = new BufferedInputStream(Files.newInputStream(log))) {
            InputArchive archive = BinaryInputArchive.getArchive(in);
            FileHeader header = new FileHeader();
            header.deserialize(archive, "fileheader");
            if (header.getMagic() != FileTxnLog.TXNLOG_MAGIC) {
                throw new IOException(log + " is not a transaction log");
            }
            while (true) {
                long checksum = archive.readLong("crcvalue");
                byte[] bytes = Util.readTxnBytes(archive);
                if (bytes == null || bytes.length == 0) {
                    return; // the rest of the file is preallocated space or an incomplete entry
                }
                Adler32 found = new Adler32();
                found.update(bytes);
                if (checksum != found.getValue()) {
                    throw new IOException(log + " has a transaction with a wrong checksum");
                }
                TxnLogEntry entry = SerializeUtils.deserializeTxn(bytes);
                all.add(new LoggedTransaction(entry.getHeader(), entry.getTxn()));
            }
        } catch (EOFException e) {
            // the end of the log
        }
    }
}
