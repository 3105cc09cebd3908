package io.ostraka.core.tree;

import java.time.Instant;

/**
 * A node as read.
 *
 * @param path where
 * @param data what it holds; never changed by anyone
 * @param version number of times it was written since it was created
 * @param czxid transaction that created it
 * @param mzxid transaction that wrote it last
 * @param created the server's clock when it was created
 * @param modified the server's clock when it was written last
 * @param ephemeralOwner session that it lives and dies with, 0 if none
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; copying up to 1 MB for form's sake costs more
public record Node(
        String path,
        byte[] data,
        int version,
        long czxid,
        long mzxid,
        Instant created,
        Instant modified,
        long ephemeralOwner) {}
