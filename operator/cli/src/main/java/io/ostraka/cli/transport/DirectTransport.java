package io.ostraka.cli.transport;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Secret;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.NamespaceSummary;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.Namespaces;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.lite.OperationsBuilder;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.zk.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests in this process with the API of the console, as an observer of ZooKeeper. ZooKeeper's access rights
 * are the only check, so the caller has every role.
 */
public final class DirectTransport implements Transport {
    private static final Duration FIRST_ANSWER = Duration.ofSeconds(2);

    private final Connection connection;
    private final Map<String, ZooKeeperOperations> connected = new ConcurrentHashMap<>();
    private final Api api;
    private final Caller caller;

    /** Creates the transport, which connects when the first request is sent. */
    public DirectTransport(Connection connection) {
        this.connection = connection;
        api = new Api(new Ensemble(), false);
        caller = new Direct(connection.person());
        builder(); // only to check the settings
    }

    /** The user of the program. */
    private record Direct(String name) implements Caller {
        @Override
        public String origin() {
            return "zookeeper";
        }

        @Override
        public boolean has(Role role, String namespace, @Nullable String job) {
            return true;
        }

        @Override
        public boolean sees(String namespace) {
            return true;
        }
    }

    /** The namespaces of the ensemble. */
    private final class Ensemble implements Namespaces {
        @Override
        public List<String> names() {
            return builder().namespaces().stream().map(NamespaceSummary::name).toList();
        }

        @Override
        public Optional<Operations> operations(String namespace) {
            ZooKeeperOperations present = connected.get(namespace);
            if (present == null) {
                ZooKeeperOperations begun = builder().connect(namespace);
                connected.put(namespace, begun);
                if (!connection.createsNamespace() && !answers(begun) && !exists(namespace)) {
                    return Optional.empty();
                }
                present = begun;
            }
            return Optional.of(present.operations());
        }

        /**
         * Returns whether a namespace answers soon. It usually does, which saves a second session for the list of
         * names. Otherwise the caller looks for the namespace in that list, and a later answer is still used.
         */
        private boolean answers(ZooKeeperOperations operations) {
            FutureTask<NamespaceDetails> answer = new FutureTask<>(operations.operations()::namespace);
            Thread thread = new Thread(answer, "ostraka-first-answer");
            thread.setDaemon(true);
            thread.start();
            try {
                answer.get(FIRST_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
                return true;
            } catch (ExecutionException | TimeoutException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /** Returns whether the namespace exists. An observer would wait endlessly for a mistyped name. */
        private boolean exists(String namespace) {
            try {
                return names().contains(namespace);
            } catch (CoordinationException e) {
                if (e.kind() == CoordinationException.Kind.UNAVAILABLE) {
                    throw e;
                }
                return true; // these credentials may have no right to list the names
            }
        }
    }

    private OperationsBuilder builder() {
        OperationsBuilder builder = ZooKeeperOperations.newBuilder(
                        connection.get(Setting.ZOOKEEPER).orElseThrow())
                .operationTimeout(connection.limit());
        connection.get(Setting.CHROOT).ifPresent(builder::chroot);
        connection
                .get(Setting.DIGEST_USER)
                .ifPresent(user -> builder.digest(user, secret(connection, Setting.DIGEST_PASSWORD_FILE)));
        connection.get(Setting.SASL).ifPresent(builder::sasl);
        Tls tls = tls(connection);
        if (tls != null) {
            builder.tls(tls);
        }
        return connection.createsNamespace() ? builder.createNamespace() : builder;
    }

    /** Returns the settings of TLS; null without TLS. */
    public static @Nullable Tls tls(Connection connection) {
        String trust = connection.settings().get(Setting.TRUST_STORE);
        String key = connection.settings().get(Setting.KEY_STORE);
        if (trust == null && key == null) {
            return null;
        }
        Tls tls = trust == null
                ? Tls.trustingTheJdk()
                : Tls.trusting(Path.of(trust), secret(connection, Setting.TRUST_STORE_PASSWORD_FILE));
        return key == null ? tls : tls.withKey(Path.of(key), secret(connection, Setting.KEY_STORE_PASSWORD_FILE));
    }

    private static Secret secret(Connection connection, Setting setting) {
        return connection
                .get(setting)
                .map(file -> Secret.of("${file:" + file + "}"))
                .orElseGet(() -> {
                    if (setting == Setting.DIGEST_PASSWORD_FILE) {
                        throw Failure.usage(Setting.DIGEST_USER.option() + " needs " + setting.option());
                    }
                    return () -> new char[0];
                });
    }

    @Override
    public Response send(Request request) {
        return api.handle(request, caller);
    }

    @Override
    public void close() {
        connected.values().forEach(ZooKeeperOperations::close);
    }
}
