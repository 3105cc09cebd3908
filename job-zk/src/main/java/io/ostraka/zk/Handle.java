package io.ostraka.zk;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's client for one session, used by the store and by Curator. This class overrides the methods that Curator
 * calls for LeaderLatch in the background, so that {@link LatchReplies} can discard late replies. The store calls none
 * of these methods.
 */
final class Handle extends ZooKeeper {
    private final LatchReplies replies;

    Handle(
            String hosts,
            int timeoutMillis,
            Watcher events,
            boolean readOnly,
            ZKClientConfig config,
            LatchReplies replies)
            throws IOException {
        super(hosts, timeoutMillis, events, readOnly, config);
        this.replies = replies;
    }

    /** Reads a node for the store. */
    void read(String path, AsyncCallback.DataCallback callback) {
        super.getData(path, (Watcher) null, callback, null);
    }

    @Override
    public void getData(
            String path, @Nullable Watcher watcher, AsyncCallback.DataCallback callback, @Nullable Object context) {
        Executor latch = replies.ofRead();
        super.getData(
                path,
                watcher,
                (rc, at, of, data, stat) -> latch.execute(() -> callback.processResult(rc, at, of, data, stat)),
                context);
    }

    @Override
    public void getChildren(
            String path,
            @Nullable Watcher watcher,
            AsyncCallback.Children2Callback callback,
            @Nullable Object context) {
        Executor latch = replies.ofRead();
        super.getChildren(
                path,
                watcher,
                (rc, at, of, names, stat) -> latch.execute(() -> callback.processResult(rc, at, of, names, stat)),
                context);
    }

    @Override
    public void create(
            String path,
            byte @Nullable [] data,
            List<ACL> acl,
            CreateMode mode,
            AsyncCallback.Create2Callback callback,
            @Nullable Object context,
            long ttl) {
        AsyncCallback.Create2Callback latch =
                (rc, at, of, name, stat) -> replies.ofCreation(() -> callback.processResult(rc, at, of, name, stat));
        super.create(path, data, acl, mode, latch, context, ttl);
    }
}
