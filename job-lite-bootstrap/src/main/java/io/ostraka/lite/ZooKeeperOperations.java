package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.NamespaceSummary;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.Observer;
import io.ostraka.core.instance.OperationsFactory;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.DaemonThreads;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.Namespaces;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connects this process to ZooKeeper as an observer: it can use all views and commands of an operator, but it is not an
 * instance of the application. It is not registered, hosts no job and never leads. It creates no namespace unless
 * {@link OperationsBuilder#createNamespace} is set. Between calls it only keeps its session alive.
 *
 * <p>An observer connects in the background and retries until it succeeds; calls wait for the connection. An observer
 * works beside instances of an earlier or later version: when it writes a node, it keeps fields that it does not know,
 * and it does not change nodes of an unknown format. Close it with {@link #close}. Thread-safe.
 */
public final class ZooKeeperOperations implements AutoCloseable {
    private final ZooKeeperNodeStore store;
    private final Coordination coordination;
    private final Clock clock = new SystemClock();
    private final String place;
    private final Answers answers;
    private final Observer observer;
    private final OperationsPort port;
    private final ExecutorService executor;
    private final Operations operations;

    /** @param namespace name of the application; null to call only {@link #namespaces} */
    ZooKeeperOperations(OperationsBuilder builder, @Nullable String namespace) {
        OperationsFactory factory = OperationsFactory.find();
        ZooKeeperConfig connection = builder.connection(namespace);
        store = builder.createsNamespace
                ? new ZooKeeperNodeStore(connection)
                : ZooKeeperNodeStore.observing(connection);
        place = connection.connectString();
        answers = new Answers(Platform.Waiting.BLOCKING, builder.operationTimeout, builder.servers, store::trouble);
        coordination = new TreeCoordination(store, clock);
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DaemonThreads.named("ostraka-operations"));
        thread.prestartCoreThread(); // started now, because the process may be unable to start a thread later
        executor = thread;
        observer = new Observer(executor);
        port = observer.port(coordination, clock);
        operations = factory.create(port, answers);
        coordination.start(observer);
    }

    /**
     * Connects with the default settings, in the background.
     *
     * @param servers ZooKeeper servers in the form {@code host:port,host:port}
     * @param namespace name of the application, as its instances use it
     * @throws IllegalArgumentException if an argument is not accepted
     * @throws IllegalStateException if the artifact {@code ostraka-job-operations} is not on the class path
     */
    public static ZooKeeperOperations connect(String servers, String namespace) {
        return newBuilder(servers).connect(namespace);
    }

    /**
     * Returns a builder for a connection with other settings, such as credentials. The builder can also list the
     * namespaces.
     *
     * @param servers ZooKeeper servers in the form {@code host:port,host:port}
     */
    public static OperationsBuilder newBuilder(String servers) {
        return new OperationsBuilder(servers);
    }

    /** Lists the namespaces below the root. Call this method only on a connection without a namespace. */
    List<NamespaceSummary> namespaces() {
        return answers.await(
                "list the namespaces",
                port.gate()
                        .ask(() -> store.read("/", false).thenCompose(root -> {
                            if (root.isEmpty()) {
                                throw new CoordinationException("could not list the namespaces: the path of " + place
                                        + " does not exist; check the chroot");
                            }
                            return Namespaces.list(store, clock, ZooKeeperConfig::accepts);
                        }))
                        .answer());
    }

    /** Returns the views and commands. They fail after {@link #close}. */
    public Operations operations() {
        return operations;
    }

    /** Ends the session. Calls that are still waiting fail. A second call does nothing. */
    @Override
    public void close() {
        observer.close();
        coordination.close();
        executor.shutdown();
    }
}
