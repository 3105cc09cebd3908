package io.ostraka.remote;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed certificates, which the JDK's keytool creates. */
final class Certificates {
    private static final char[] PASSWORD = "password".toCharArray(); // of a key that exists during the test only
    private static final Map<String, KeyStore> CREATED = new ConcurrentHashMap<>();

    private Certificates() {}

    /** Returns the context of a server with the certificate of a host. */
    static SSLContext server(String host) throws GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store(host), PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    /** Returns the context of a client that trusts the certificate of a host. */
    static SSLContext trusting(String host) throws GeneralSecurityException {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(host));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore store(String host) {
        return CREATED.computeIfAbsent(host, Certificates::create);
    }

    private static KeyStore create(String host) {
        try {
            Path file = Files.createTempDirectory("certificates").resolve("keys.p12");
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "server",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=" + host,
                            "-ext",
                            "san=dns:" + host,
                            "-storetype",
                            "PKCS12",
                            "-storepass",
                            new String(PASSWORD),
                            "-keystore",
                            file.toString())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new AssertionError("keytool: " + output);
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
            Files.delete(file);
            Files.delete(file.getParent());
            KeyStore both = KeyStore.getInstance("PKCS12");
            both.load(null, null);
            both.setKeyEntry("server", store.getKey("server", PASSWORD), PASSWORD, store.getCertificateChain("server"));
            both.setCertificateEntry("trusted", store.getCertificate("server"));
            return both;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
