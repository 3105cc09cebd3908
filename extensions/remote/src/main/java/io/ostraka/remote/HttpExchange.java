package io.ostraka.remote;

import io.ostraka.http.BoundedBody;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Sends requests with the JDK's HTTP client. Limits the time and the size of the whole response. */
final class HttpExchange implements Platform.Exchange {
    /** One byte more than the largest accepted answer, so that the reader can recognize an answer that is too long. */
    private static final int MOST_BYTES = Platform.LARGEST_ANSWER + 1;

    private final HttpClient client;
    private final Duration timeout;

    HttpExchange(@Nullable SSLContext context, Duration timeout) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout);
        if (context != null) {
            builder.sslContext(context);
        }
        this.client = builder.build();
        this.timeout = timeout;
    }

    @Override
    public CompletionStage<Platform.Reply> send(HttpRequest request) {
        CompletableFuture<HttpResponse<byte[]>> response =
                client.sendAsync(request, headers -> new BoundedBody(MOST_BYTES, MOST_BYTES));
        // the request's own time limit ends when the headers of the response arrive, but the body may never end
        CompletableFuture<HttpResponse<byte[]>> limited =
                response.copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
        limited.whenComplete((reply, error) -> response.cancel(true));
        return limited.thenApply(reply -> new Platform.Reply(reply.statusCode(), reply.headers(), reply.body()));
    }
}
