package io.ostraka.http;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Reads a response body up to a limit and returns its beginning. If the body is longer than the limit, reading stops
 * and the connection is closed.
 */
public final class BoundedBody implements BodySubscriber<byte[]> {
    private final int kept;
    private final int most;
    private final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;
    private long count;

    /**
     * @param kept number of bytes to return
     * @param most number of bytes after which reading stops
     */
    public BoundedBody(int kept, int most) {
        this.kept = kept;
        this.most = most;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
        subscription = to;
        to.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            count += buffer.remaining();
            byte[] part = new byte[Math.min(buffer.remaining(), kept - beginning.size())];
            buffer.get(part);
            beginning.writeBytes(part);
        }
        if (subscription == null) {
            return;
        }
        if (count >= most) {
            subscription.cancel();
            onComplete();
        } else {
            subscription.request(1);
        }
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(error);
    }

    @Override
    public void onComplete() {
        body.complete(beginning.toByteArray());
    }
}
