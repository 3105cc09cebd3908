package io.ostraka.zk;

import io.ostraka.api.Secret;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the connection to ZooKeeper is encrypted: TLS by the JDK, spoken to the servers' secure client port. Stores may be
 * JKS, PKCS12 or PEM files, by their ending; they are read again for each connection, so that a renewed certificate counts
 * from the next one on. Immutable.
 */
public final class Tls {
    private final @Nullable Store trust;
    private final @Nullable Store key;
    private final boolean hostnameVerification;

    record Store(Path file, Secret password) {}

    private Tls(@Nullable Store trust, @Nullable Store key, boolean hostnameVerification) {
        this.trust = trust;
        this.key = key;
        this.hostnameVerification = hostnameVerification;
    }

    /** Trusts servers whose certificates the JDK trusts. */
    public static Tls trustingTheJdk() {
        return new Tls(null, null, true);
    }

    /** Trusts servers whose certificates are vouched for in a store. */
    public static Tls trusting(Path store, Secret password) {
        return new Tls(new Store(absolute(store), Objects.requireNonNull(password, "password")), null, true);
    }

    /** Shows a certificate of its own, which ZooKeeper takes as credentials where it is set up so. */
    public Tls withKey(Path store, Secret password) {
        return new Tls(
                trust, new Store(absolute(store), Objects.requireNonNull(password, "password")), hostnameVerification);
    }

    /** Accepts a certificate that is for another host: whoever has any certificate that is trusted may pose as ZooKeeper. */
    public Tls withoutHostnameVerification() {
        return new Tls(trust, key, false);
    }

    private static Path absolute(Path store) {
        return store.toAbsolutePath().normalize();
    }

    @Nullable Store trust() {
        return trust;
    }

    @Nullable Store key() {
        return key;
    }

    boolean hostnameVerification() {
        return hostnameVerification;
    }

    /** Names the stores, without passwords. */
    @Override
    public String toString() {
        return "TLS trusting " + (trust == null ? "the JDK's certificates" : trust.file())
                + (key == null ? "" : ", with the certificate in " + key.file())
                + (hostnameVerification ? "" : ", without hostname verification");
    }
}
