package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A way to a ZooKeeper server that understands what is said on it, as long as that is not encrypted: it can lose the
 * reply to a chosen request, or the request itself. Thread-safe.
 */
public final class ZooKeeperProxy extends TcpProxy {
    private final Losses losses;

    /**
     * Opens a way, on a free port.
     *
     * @param serverPort where the server listens; it need not yet
     */
    public ZooKeeperProxy(int serverPort) {
        this(serverPort, new Losses());
    }

    private ZooKeeperProxy(int serverPort, Losses losses) {
        super(serverPort, () -> new Frames(losses));
        this.losses = losses;
    }

    /**
     * Lets the next such request reach the server, and resets the connection instead of passing the reply on: what the
     * client asked for is done, or refused, and the client doesn't know.
     *
     * @return completed when that has happened
     */
    public CompletableFuture<Request> loseReply(Predicate<Request> which) {
        return losses.add(which, Direction.TO_CLIENT);
    }

    /**
     * Resets the connection instead of passing the next such request on: nothing of it is done, and the client doesn't
     * know.
     *
     * @return completed when that has happened
     */
    public CompletableFuture<Request> loseRequest(Predicate<Request> which) {
        return losses.add(which, Direction.TO_SERVER);
    }

    /** What is to be lost, once each. */
    private static final class Losses {
        private final List<Loss> awaited = new ArrayList<>();

        synchronized CompletableFuture<Request> add(Predicate<Request> which, Direction direction) {
            Loss loss = new Loss(which, direction, new CompletableFuture<>());
            awaited.add(loss);
            return loss.happened;
        }

        synchronized Optional<Loss> take(Request request) {
            for (Iterator<Loss> all = awaited.iterator(); all.hasNext(); ) {
                Loss loss = all.next();
                if (loss.which.test(request)) {
                    all.remove();
                    return Optional.of(loss);
                }
            }
            return Optional.empty();
        }
    }

    private record Loss(Predicate<Request> which, Direction direction, CompletableFuture<Request> happened) {}

    /** ZooKeeper's frames: a length, and then, but for the first each way, a number that a request and its reply share. */
    private static final class Frames implements Conversation {
        private final Losses losses;
        private final Map<Integer, Runnable> lostReplies = new ConcurrentHashMap<>();
        private final Map<Direction, Boolean> greeted = new HashMap<>();

        Frames(Losses losses) {
            this.losses = losses;
        }

        @Override
        public byte[] next(Direction direction, DataInputStream sender) throws IOException {
            byte[] frame = new byte[sender.readInt()];
            sender.readFully(frame);
            if (first(direction)) {
                return withLength(frame);
            }
            ByteBuffer content = ByteBuffer.wrap(frame);
            int number = content.getInt();
            if (direction == Direction.TO_SERVER) {
                asked(number, content);
            } else {
                Runnable lost = lostReplies.remove(number);
                if (lost != null) {
                    lost.run();
                    throw new Cut();
                }
            }
            return withLength(frame);
        }

        private synchronized boolean first(Direction direction) {
            return greeted.put(direction, true) == null;
        }

        private void asked(int number, ByteBuffer content) throws IOException {
            int type = content.getInt();
            byte[] body = new byte[content.remaining()];
            content.get(body);
            Request request = Request.parse(type, body);
            Optional<Loss> loss = losses.take(request);
            if (loss.isEmpty()) {
                return;
            }
            Runnable happened = () -> loss.get().happened.complete(request);
            if (loss.get().direction == Direction.TO_SERVER) {
                happened.run();
                throw new Cut();
            }
            lostReplies.put(number, happened);
        }

        private static byte[] withLength(byte[] frame) {
            return ByteBuffer.allocate(4 + frame.length)
                    .putInt(frame.length)
                    .put(frame)
                    .array();
        }
    }
}
