package io.ostraka.cli.transport;

import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.SmallFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;

/** Sends requests to a console. Follows no redirect, so that only the server that the user named gets the token. */
public final class HttpTransport implements Transport {
    /** Largest response. */
    static final int LARGEST = 64 << 20;

    private static final int LARGEST_CA_FILE = 4 << 20;
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private final URI server;
    private final Optional<String> token;
    private final Duration limit;
    private final HttpClient client;

    private HttpTransport(URI server, Optional<String> token, Duration limit, HttpClient client) {
        this.server = server;
        this.token = token;
        this.limit = limit;
        this.client = client;
    }

    /** Opens the transport. */
    public static HttpTransport open(Connection connection) {
        URI server = address(connection.get(Setting.SERVER).orElseThrow());
        Optional<String> token = connection.readToken();
        if (token.isPresent() && server.getScheme().equals("http") && !isLoopback(server.getHost())) {
            throw Failure.usage("the address " + server + " is not encrypted, so the token is not sent there; use"
                    + " https, or http with a loopback address");
        }
        HttpClient.Builder client = HttpClient.newBuilder()
                .connectTimeout(CONNECT)
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER);
        connection.get(Setting.CA_FILE).map(HttpTransport::trusting).ifPresent(client::sslContext);
        return new HttpTransport(server, token, connection.limit(), client.build());
    }

    private static URI address(String text) {
        try {
            URI address = URI.create(text.contains("://") ? text : "https://" + text);
            String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
            boolean bare = address.getRawQuery() == null && address.getRawFragment() == null;
            if ((scheme.equals("http") || scheme.equals("https"))
                    && address.getHost() != null
                    && address.getRawUserInfo() == null
                    && bare) {
                String path = String.valueOf(address.getRawPath()).replaceFirst("/+$", "");
                return URI.create(scheme + "://" + address.getRawAuthority() + path);
            }
        } catch (IllegalArgumentException e) { // the check below refuses it
        }
        throw Failure.usage("--server is not accepted; accepted: an address such as https://console.example.org,"
                + " without a user and a password");
    }

    /** Returns whether a host is this machine. A name other than localhost is not looked up, because DNS may lie. */
    private static boolean isLoopback(String host) {
        String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        if (plain.equalsIgnoreCase("localhost")) {
            return true;
        }
        try {
            return plain.matches("[0-9.]+|.*:.*")
                    && InetAddress.getByName(plain).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static SSLContext trusting(String file) {
        try {
            InputStream pem = new ByteArrayInputStream(SmallFile.read(Path.of(file), LARGEST_CA_FILE));
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("ca-" + number++, each);
            }
            if (number == 0) {
                throw Failure.usage("--ca-file names " + file + ", which contains no certificate");
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw Failure.usage("--ca-file names " + file + ", which this program cannot read as certificates"
                    + SmallFile.because(e));
        }
    }

    @Override
    public Response send(Request request) {
        CompletableFuture<HttpResponse<byte[]>> sent =
                client.sendAsync(http(request), info -> new LimitedBody(LARGEST));
        try {
            return response(sent.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException e) {
            throw broken(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new Broken(true, server + " did not answer within " + limit.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sent.cancel(true);
            throw new Broken(true, "the program was interrupted while it waited for " + server);
        }
    }

    private HttpRequest http(Request request) {
        String query = request.query().isEmpty() ? "" : "?" + request.query();
        HttpRequest.Builder http = HttpRequest.newBuilder(URI.create(server + request.path() + query))
                .timeout(limit)
                .method(
                        request.method(),
                        request.body().length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(request.body()));
        request.headers().forEach((name, values) -> values.forEach(value -> http.header(name, value)));
        token.ifPresent(value -> http.header("Authorization", "Bearer " + value));
        return http.build();
    }

    private static Response response(HttpResponse<byte[]> response) {
        Map<String, String> headers = new TreeMap<>();
        response.headers().map().forEach((name, values) -> {
            if (!values.isEmpty()) {
                headers.put(name.toLowerCase(Locale.ROOT), values.get(0));
            }
        });
        return new Response(response.statusCode(), headers, response.body());
    }

    private Broken broken(Throwable e) {
        boolean connected = !(e instanceof ConnectException
                || e instanceof HttpConnectTimeoutException
                || e instanceof SSLHandshakeException
                || e instanceof UnresolvedAddressException
                || e.getCause() instanceof UnresolvedAddressException);
        if (e instanceof SSLHandshakeException) {
            return new Broken(
                    false,
                    "the certificate of " + server + " is not trusted, or the server speaks no TLS;"
                            + " check the address, or name the certificate in --ca-file");
        }
        String cause = connected && e.getMessage() != null ? ": " + e.getMessage() : "";
        return new Broken(
                connected,
                (connected
                                ? "the connection to " + server + " ended before the whole answer came"
                                : server + " is not reachable")
                        + cause);
    }

    @Override
    public void close() {
        // the client needs no close: its threads are daemons
    }
}
