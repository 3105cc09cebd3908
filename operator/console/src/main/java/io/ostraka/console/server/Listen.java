package io.ostraka.console.server;

import io.ostraka.api.Secret;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Address at which the console listens.
 *
 * @param address address or host name of this machine
 * @param port port; 0 for a free one
 * @param tls key store with the certificate; null for connections without TLS
 */
record Listen(String address, int port, @Nullable KeyStore tls) {
    /**
     * A key store.
     *
     * @param file PKCS12 or JKS file
     * @param password password of the store and of its key
     */
    record KeyStore(Path file, Secret password) {}
}
