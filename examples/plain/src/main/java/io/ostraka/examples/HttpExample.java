package io.ostraka.examples;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.ostraka.api.HttpJob;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Secret;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;

/**
 * A job that sends a request to another service, which runs in the same process here. The service reads the item from
 * the headers, and stores the fencing token. With this token it can refuse a late request.
 */
public final class HttpExample {
    private HttpExample() {}

    private static HttpServer billing() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/settle", exchange -> {
            Headers headers = exchange.getRequestHeaders();
            String branch = headers.getFirst("Ostraka-Sharding-Item-Parameter");
            System.out.printf(
                    "billing: %s settles branch %s, token %s%n",
                    headers.getFirst("Authorization").isEmpty() ? "an unknown client" : "a known client",
                    branch,
                    headers.getFirst("Ostraka-Fencing-Token"));
            exchange.sendResponseHeaders(branch.equals("south") ? 409 : 204, -1);
            exchange.close();
        });
        server.start();
        return server;
    }

    /** Runs the job once; the service refuses one of the items. */
    public static void main(String[] args) throws Exception {
        HttpServer billing = billing();
        String host = "localhost:" + billing.getAddress().getPort();
        Secret token =
                () -> "Bearer of no great secret".toCharArray(); // in an application: Secret.of("${env:BILLING_TOKEN}")
        var request = HttpJob.request("POST", URI.create("http://" + host + "/settle"))
                .header("Authorization", token)
                .requestTimeout(Duration.ofSeconds(10))
                .build();
        var configuration = JobConfiguration.newBuilder("settle", 3)
                .shardingItemParameters("0=north,1=east,2=south")
                .build();

        try (var directory = TemporaryDirectory.create();
                var zooKeeper = EmbeddedZooKeeper.start(directory.path(), 0);
                var registry = ZooKeeperRegistry.newBuilder(zooKeeper.connectString(), "orders")
                        .allowHttpJobs(host)
                        .allowPrivateHosts(host) // because the address of localhost is not public
                        .connect()) {
            var job = registry.oneOff(request, configuration);
            System.out.println("outcomes by item: " + job.trigger().await(Duration.ofSeconds(30)));
        } finally {
            billing.stop(0);
        }
    }
}
