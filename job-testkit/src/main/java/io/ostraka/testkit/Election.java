package io.ostraka.testkit;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeOp.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The candidacy of one client in the leader election. It behaves like Curator's LeaderLatch: the candidate whose node
 * has the smallest sequence number leads. The client learns the leader in the same way in which it learns a watched
 * change. Guarded by the lock of the tree.
 */
final class Election {
    private record Campaign(String path, String id) {}

    private final InMemoryCoordination tree;
    private final InMemoryNodeStore store;
    private @Nullable Campaign campaign;
    private @Nullable String candidate;
    private boolean joining;
    /**
     * Path of the candidate that was reported as leader on the present connection. The report may not have reached the
     * client yet.
     */
    private @Nullable String toldLeader;
    /** Path of the candidate that the client regards as leader. */
    private @Nullable String believedLeader;
    /** Nodes of ended candidacies that may still exist. */
    private final Set<String> resigned = new LinkedHashSet<>();

    Election(InMemoryCoordination tree, InMemoryNodeStore store) {
        this.tree = tree;
        this.store = store;
    }

    void campaign(String path, String id) {
        if (campaign != null) {
            throw new IllegalStateException("Store " + store + " stands for leader already");
        }
        campaign = new Campaign(path, id);
        stand();
    }

    void resign() {
        campaign = null;
        believedLeader = null;
        toldLeader = null;
        if (candidate != null) {
            resigned.add(candidate);
            candidate = null;
            withdraw();
        }
    }

    void connected() {
        toldLeader = null;
        withdraw();
        stand();
    }

    void disconnected() {
        joining = false;
        believe(null);
    }

    void sessionLost() {
        candidate = null;
        resigned.clear();
    }

    /** Called when the server of the present connection has reached a newer state. */
    void reached(List<Change> changes) {
        Campaign standing = campaign;
        if (standing != null && changes.stream().anyMatch(change -> concerns(change, standing.path))) {
            stand();
        }
    }

    private static boolean concerns(Change change, String path) {
        return change.createsOrDeletes()
                && (change.path().equals(path) || Znodes.parent(change.path()).equals(path));
    }

    private void stand() {
        Campaign standing = campaign;
        Link link = store.link();
        if (standing == null || link == null) {
            return;
        }
        List<String> candidates = new ArrayList<>(link.children(standing.path));
        if (candidate != null && !candidates.contains(nameOf(candidate))) {
            candidate = null; // another client deleted the node
        }
        if (candidate == null) {
            join(standing);
            return;
        }
        candidates.sort(Comparator.comparing(Election::number));
        String leader = candidates.get(0).equals(nameOf(candidate)) ? candidate : null;
        if (!Objects.equals(leader, toldLeader)) {
            toldLeader = leader;
            store.report(link, () -> believe(leader));
        }
    }

    private void join(Campaign standing) {
        if (joining) {
            return;
        }
        joining = true;
        store.send(link -> {
            if (link != store.link()) {
                return () -> {}; // the connection of this reply is lost; the new connection sends a request of its own
            }
            boolean meant = standing.equals(campaign); // false if the candidacy has changed or ended since the request
            boolean created = meant && create(link, standing);
            joining = false;
            if (created || !meant) { // if the parent is missing, the candidate joins when the parent exists
                stand();
            }
            return () -> {};
        });
    }

    private boolean create(Link link, Campaign standing) {
        String path = tree.numbered(standing.path + "/latch-");
        byte[] id = standing.id.getBytes(StandardCharsets.UTF_8);
        Outcome outcome = tree.commit(link, List.of(new NodeOp.Create(path, id, Kind.EPHEMERAL)));
        // Set only after the commit. During the commit, a server that lags behind passes through older states, in which
        // the node does not exist.
        candidate = outcome instanceof Outcome.Committed ? path : null;
        return candidate != null;
    }

    /** Deletes the nodes of ended candidacies. An earlier deletion may have failed because the connection was lost. */
    private void withdraw() {
        for (String path : List.copyOf(resigned)) {
            store.send(link -> {
                tree.commit(link, List.of(new NodeOp.Delete(path, NodeOp.ANY_VERSION)));
                return () -> resigned.remove(path);
            });
        }
    }

    private void believe(@Nullable String leader) {
        boolean over = leader != null && !leader.equals(candidate); // the report concerns a candidacy that has ended
        if (Objects.equals(leader, believedLeader) || over) {
            return;
        }
        believedLeader = leader;
        store.tell(to -> to.leadership(Optional.ofNullable(leader)));
    }

    private static String nameOf(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String number(String candidate) {
        return candidate.substring(Math.max(0, candidate.length() - 10));
    }
}
