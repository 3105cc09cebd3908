package io.ostraka.testkit;

import io.ostraka.core.tree.Node;
import java.time.Instant;

/**
 * The content of a node at one moment.
 *
 * @param creations number of children that were ever created, including deleted ones. The next sequential name contains
 *     this number, as in ZooKeeper
 */
@SuppressWarnings("ArrayRecordComponent") // as in Node
record Znode(
        byte[] data,
        int version,
        long czxid,
        long mzxid,
        Instant created,
        Instant modified,
        long owner,
        int creations) {

    Znode written(byte[] newData, long zxid, Instant at) {
        return new Znode(newData, version + 1, czxid, zxid, created, at, owner, creations);
    }

    Znode withVersion(int other) {
        return new Znode(data, other, czxid, mzxid, created, modified, owner, creations);
    }

    Znode withOneMoreChild() {
        return new Znode(data, version, czxid, mzxid, created, modified, owner, creations + 1);
    }

    Node at(String path) {
        return new Node(path, data, new Node.Stat(version, czxid, mzxid, created, modified, owner));
    }
}
