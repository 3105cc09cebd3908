package io.ostraka.core.tree;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.operations.NamespaceSummary;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Lists the namespaces of an ensemble. This class writes no nodes, and it does not trust the content of nodes, because
 * other software may have written the content.
 *
 * <p>Each instance creates all nodes in {@link Paths#PARENTS} before it registers. A namespace is therefore a node that
 * has the descendants in {@link #MARKS}. The server reports whether these nodes exist even if this client has no right
 * to read them. Therefore even a namespace without read access is recognised, and nodes of other software are not
 * mistaken for a namespace.
 */
public final class Namespaces {
    /**
     * Nodes that every version of this library creates. A namespace or a job of ElasticJob has at most the first of
     * these nodes.
     */
    private static final List<String> MARKS = List.of(Paths.INSTANCES, Paths.JOBS, Paths.EPOCH);

    private final Nodes nodes;

    private Namespaces(Nodes nodes) {
        this.nodes = nodes;
    }

    /**
     * Lists the namespaces, sorted by name.
     *
     * @param store a store whose root contains the namespaces
     * @param accepted returns whether a namespace can have this name
     */
    public static CompletionStage<List<NamespaceSummary>> list(
            NodeStore store, Clock clock, Predicate<String> accepted) {
        var namespaces = new Namespaces(new Nodes(store, clock));
        return store.children("/")
                .thenCompose(names -> Nodes.all(names.stream()
                        .filter(accepted)
                        .sorted()
                        .map(namespaces::find)
                        .toList()))
                .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
    }

    private CompletionStage<Optional<NamespaceSummary>> find(String name) {
        return Nodes.all(MARKS.stream().map(mark -> exists("/" + name + mark)).toList())
                .thenCompose(marks -> marks.contains(false)
                        ? CompletableFuture.completedStage(Optional.empty())
                        : unlessRefused(summary(name), why -> new NamespaceSummary(name, false, 0, 0, false, why))
                                .thenApply(Optional::of));
    }

    private CompletionStage<Boolean> exists(String path) {
        return unlessRefused(nodes.read(path).thenApply(Optional::isPresent), why -> true);
    }

    /**
     * Returns a stage with the result of the given one. If the given stage fails because this client has no right to
     * read a node, {@code otherwise} computes the result from the message of the failure.
     */
    private static <T> CompletionStage<T> unlessRefused(CompletionStage<T> stage, Function<String, T> otherwise) {
        return stage.exceptionally(failure -> {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof NodeStore.RefusedException refused) {
                return otherwise.apply(String.valueOf(refused.getMessage()));
            }
            throw new CompletionException(cause);
        });
    }

    private CompletionStage<NamespaceSummary> summary(String name) {
        String root = "/" + name;
        return nodes.read(List.of(root + Paths.EPOCH, root + Paths.ORDERS), false)
                .thenCompose(read -> nodes.children(root + Paths.INSTANCES)
                        .thenCombine(
                                nodes.store.children(root + Paths.JOBS),
                                (instances, jobs) -> summary(name, read.get(0), read.get(1), instances, jobs)));
    }

    private NamespaceSummary summary(
            String name, Optional<Node> epoch, Optional<Node> order, List<Node> instances, List<String> jobs) {
        Nodes.Part<Orders> ordered = nodes.part(order, Orders.class);
        List<Nodes.Part<InstanceInfo>> registrations = instances.stream()
                .map(node -> nodes.ofInstance(node, InstanceInfo.class, InstanceInfo::id))
                .toList();
        long named = jobs.stream()
                .filter(job -> JobConfiguration.NAME.matcher(job).matches())
                .count();
        Stream<Optional<String>> problems = Stream.of(
                Stream.concat(Stream.of(ordered), registrations.stream())
                        .flatMap(part -> Stream.ofNullable(part.damage()))
                        .map(UnreadableNode::text)
                        .findFirst(),
                epoch.filter(node -> node.data().length > 0 && TreeMembership.former(node) == null)
                        .map(node -> node.path() + " names no leader"),
                Optional.of("/" + name + Paths.JOBS + " has a child that is no job")
                        .filter(any -> named < jobs.size()));
        Orders orders = Nodes.valueOf(ordered);
        return new NamespaceSummary(
                name,
                true,
                (int) registrations.stream()
                        .filter(part -> part.value() != null)
                        .count(),
                (int) named,
                orders != null && orders.frozen() != null,
                problems.flatMap(Optional::stream).findFirst().orElse(null));
    }
}
