package io.ostraka.zk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Util;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of one ZooKeeper client. The passwords of key stores and trust stores are read only when the client
 * asks for them.
 */
final class ClientConfig extends ZKClientConfig {
    private static final String NETTY = "org.apache.zookeeper.ClientCnxnSocketNetty";

    private final Map<String, Tls.Store> passwords = new HashMap<>();

    ClientConfig(@Nullable Tls tls) {
        if (tls == null) {
            return;
        }
        setProperty(SECURE_CLIENT, "true");
        setProperty(ZOOKEEPER_CLIENT_CNXN_SOCKET, NETTY); // the only socket implementation with TLS
        try (var names = new ClientX509Util()) {
            setProperty(names.getSslProviderProperty(), "JDK");
            setProperty(
                    names.getSslHostnameVerificationEnabledProperty(), Boolean.toString(tls.hostnameVerification()));
            store(
                    tls.trust(),
                    names.getSslTruststoreLocationProperty(),
                    names.getSslTruststorePasswdProperty(),
                    names.getSslTruststorePasswdPathProperty(),
                    names.getSslTruststoreTypeProperty());
            store(
                    tls.key(),
                    names.getSslKeystoreLocationProperty(),
                    names.getSslKeystorePasswdProperty(),
                    names.getSslKeystorePasswdPathProperty(),
                    names.getSslKeystoreTypeProperty());
        }
    }

    /**
     * Sets all four properties of a key store or trust store. ZooKeeper would read a missing property from the system
     * properties of the process.
     */
    private void store(Tls.@Nullable Store store, String location, String password, String passwordPath, String type) {
        setProperty(location, store == null ? "" : store.file().toString());
        setProperty(password, "");
        setProperty(passwordPath, "");
        setProperty(type, store == null ? "" : type(store.file()));
        if (store != null) {
            passwords.put(password, store);
        }
    }

    /** Returns the store type that ZooKeeper derives from the file extension; PKCS12 for an unknown extension. */
    private static String type(Path file) {
        String name = file.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".jks") ? "JKS" : name.endsWith(".pem") ? "PEM" : "PKCS12";
    }

    /** Disables the FIPS mode, which is the client's default and excludes DIGEST-MD5. */
    void allowDigestMd5() {
        setProperty(X509Util.FIPS_MODE_PROPERTY, "false");
    }

    @Override
    public String getProperty(String key, String defaultValue) {
        Tls.Store store = passwords.get(key);
        if (store == null) {
            return super.getProperty(key, defaultValue);
        }
        try {
            RegularFile.require(store.file()); // the client opens the file next
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new String(store.password().read());
    }
}
