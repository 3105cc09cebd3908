package io.ostraka.console.server;

import io.ostraka.api.Secret;
import io.ostraka.lite.OperationsBuilder;
import io.ostraka.lite.ZooKeeperOperations;
import io.ostraka.zk.Tls;
import io.ostraka.zk.ZooKeeperConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Connections to an ensemble.
 *
 * @param servers servers in the form {@code host:port,host:port}
 * @param chroot path below which all nodes are; empty for the root
 * @param timeouts timeouts
 * @param credentials credentials
 * @param tls TLS; null for connections without TLS
 * @param namespaces names of the namespaces, sorted; empty for all namespaces of the ensemble
 */
record ZooKeeperSettings(
        String servers,
        String chroot,
        Timeouts timeouts,
        Credentials credentials,
        @Nullable Tls tls,
        List<String> namespaces) {
    record Timeouts(Duration session, Duration connection, Duration operation) {}

    /**
     * Credentials; each component is null if it is not used.
     *
     * @param user name of the digest user
     * @param password password of the digest user
     * @param sasl section of the JAAS configuration
     */
    record Credentials(@Nullable String user, @Nullable Secret password, @Nullable String sasl) {}

    /** Reads the settings, and adds any mistakes to {@code values}. */
    static ZooKeeperSettings read(SettingValues values) {
        String servers = values.text(Key.ZOOKEEPER_SERVERS).orElse("");
        if (servers.isEmpty()) {
            values.missing(Key.ZOOKEEPER_SERVERS.text(), "accepted: " + Key.ZOOKEEPER_SERVERS.accepted());
        }
        ZooKeeperSettings settings = new ZooKeeperSettings(
                servers,
                values.text(Key.ZOOKEEPER_CHROOT).orElse(""),
                new Timeouts(
                        values.duration(Key.ZOOKEEPER_SESSION_TIMEOUT),
                        values.duration(Key.ZOOKEEPER_CONNECTION_TIMEOUT),
                        values.duration(Key.ZOOKEEPER_OPERATION_TIMEOUT)),
                credentials(values),
                tls(values),
                values.list(Key.NAMESPACES).stream().sorted().distinct().toList());
        settings.check(values);
        return settings;
    }

    private void check(SettingValues values) {
        if (servers.isEmpty()) {
            return;
        }
        try {
            ZooKeeperConfig.of(servers + chroot, "any");
        } catch (IllegalArgumentException e) {
            values.mistake(
                    Key.ZOOKEEPER_SERVERS.text() + " and " + Key.ZOOKEEPER_CHROOT.text() + ": " + e.getMessage());
        }
        for (String namespace : namespaces) {
            if (!ZooKeeperConfig.accepts(namespace)) {
                values.mistake(Key.NAMESPACES.text() + " has '" + namespace
                        + "'; accepted: at most 128 letters, digits, dots, underscores and hyphens, starting with a"
                        + " letter or digit, but not 'zookeeper'");
            }
        }
    }

    private static Credentials credentials(SettingValues values) {
        Optional<String> user = values.parsed(Key.ZOOKEEPER_DIGEST_USER, text -> {
            if (text.indexOf(':') >= 0) {
                throw new IllegalArgumentException();
            }
            return text;
        });
        Secret password = values.secret(Key.ZOOKEEPER_DIGEST_PASSWORD);
        if (user.isPresent() && password == null) {
            values.missing(
                    Key.ZOOKEEPER_DIGEST_PASSWORD.text(), "set it for the user in " + Key.ZOOKEEPER_DIGEST_USER.text());
        } else if (!values.has(Key.ZOOKEEPER_DIGEST_USER) && password != null) {
            values.missing(
                    Key.ZOOKEEPER_DIGEST_USER.text(),
                    "set it for the password in " + Key.ZOOKEEPER_DIGEST_PASSWORD.text());
        }
        return new Credentials(
                user.orElse(null), password, values.text(Key.ZOOKEEPER_SASL).orElse(null));
    }

    private static @Nullable Tls tls(SettingValues values) {
        Optional<Path> trust = values.file(Key.ZOOKEEPER_TLS_TRUSTSTORE);
        Optional<Path> key = values.file(Key.ZOOKEEPER_TLS_KEYSTORE);
        if (!values.flag(Key.ZOOKEEPER_TLS)) {
            for (Key each : List.of(Key.ZOOKEEPER_TLS_TRUSTSTORE, Key.ZOOKEEPER_TLS_KEYSTORE)) {
                if (values.has(each)) {
                    values.mistake(each.text() + " is set, but " + Key.ZOOKEEPER_TLS.text()
                            + " is not true; set it to true, or remove the store");
                }
            }
            return null;
        }
        Tls tls = trust.isEmpty()
                ? Tls.trustingTheJdk()
                : Tls.trusting(trust.get(), storePassword(values, Key.ZOOKEEPER_TLS_TRUSTSTORE_PASSWORD));
        if (key.isPresent()) {
            tls = tls.withKey(key.get(), storePassword(values, Key.ZOOKEEPER_TLS_KEYSTORE_PASSWORD));
        }
        return values.flag(Key.ZOOKEEPER_TLS_HOSTNAME_VERIFICATION) ? tls : tls.withoutHostnameVerification();
    }

    private static Secret storePassword(SettingValues values, Key key) {
        Secret password = values.secret(key);
        if (password == null) {
            values.missing(key.text(), "a store needs its password");
            return () -> new char[0];
        }
        return password;
    }

    /** Returns a builder of connections. */
    OperationsBuilder builder(Duration operationTimeout) {
        OperationsBuilder builder = ZooKeeperOperations.newBuilder(servers)
                .chroot(chroot)
                .sessionTimeout(timeouts.session())
                .connectionTimeout(timeouts.connection())
                .operationTimeout(operationTimeout);
        if (credentials.user() != null && credentials.password() != null) {
            builder.digest(credentials.user(), credentials.password());
        }
        if (credentials.sasl() != null) {
            builder.sasl(credentials.sasl());
        }
        if (tls != null) {
            builder.tls(tls);
        }
        return builder;
    }
}
