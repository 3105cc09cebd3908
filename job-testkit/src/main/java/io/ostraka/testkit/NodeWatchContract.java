package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests the watches of a store. This class is a part of {@link NodeStoreContract}. */
abstract class NodeWatchContract extends NodeSessionContract {
    @Test
    void aWatchedReadReportsTheNextChangeOnce() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));

        assertTrue(get(watching.store().read("/a", true)).isPresent());
        assertEquals(List.of(), watching.toldByNow());
        writing.committed(set("/a", 0));
        writing.committed(set("/a", 1));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void aWatchedReadReportsDeletion() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"), ephemeral("/a/running"));

        assertTrue(get(watching.store().read("/a/running", true)).isPresent());
        writing.store().close();

        assertEquals("changed /a/running", watching.told().next());
        assertFalse(watching.exists("/a/running"));
    }

    @Test
    void aWatchedReadOfAMissingNodeReportsItsCreation() {
        Client watching = start();
        Client writing = start();

        assertFalse(get(watching.store().read("/a", true)).isPresent());
        writing.committed(create("/a"));

        assertEquals("changed /a", watching.told().next());
        assertEquals(List.of(), watching.toldByNow());
    }

    @Test
    void aWatchedReadReportsNothingAboutOtherNodesOrChildren() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));

        get(watching.store().read("/a", true));
        writing.committed(create("/a/b"), create("/ab"), set("/a/b", 0));
        assertEquals(List.of(), watching.toldByNow());
        writing.committed(delete("/a/b"), delete("/a"));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void aWatchedReadNeverMissesAChangeThatItDoesNotShow() {
        Client watching = start();
        Client writing = start();

        for (int round = 0; round < 50; round++) {
            CompletionStage<Outcome> change =
                    writing.store().commit(List.of(round % 2 == 0 ? create("/a") : delete("/a")));
            Optional<Node> read = get(watching.store().read("/a", true));
            get(change);
            if (read.isPresent() != (round % 2 == 0)) {
                watching.told().await("changed /a");
            }
            watching.toldByNow();
        }
    }

    @Test
    void aWatchedReadStillReportsAfterAnInterruption() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/changed"), create("/deleted"), create("/kept"));
        get(watching.store().read("/changed", true));
        get(watching.store().read("/deleted", true));
        get(watching.store().read("/created", true));
        get(watching.store().read("/kept", true));
        get(watching.store().read("/missing", true));

        cut(watching.store());
        watching.told().await("suspended");
        writing.committed(set("/changed", 0), delete("/deleted"), create("/created"));
        heal(watching.store());

        watching.told().await("connected");
        assertEquals(
                Set.of("changed /changed", "changed /deleted", "changed /created"), Set.copyOf(watching.toldByNow()));
        writing.committed(set("/kept", 0), create("/missing"));
        assertEquals(Set.of("changed /kept", "changed /missing"), Set.copyOf(watching.toldByNow()));
    }

    @Test
    void aWatchedReadEndsWithItsSession() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));
        get(watching.store().read("/a", true));

        expire(watching.store());
        watching.told().await("connected");
        writing.committed(set("/a", 0));

        assertEquals(List.of(), watching.toldByNow());
    }

    @Test
    void aWatchReportsEveryChangeOfTheNodeAndOfItsChildrensNames() {
        Client watching = start();
        Client writing = start();
        watching.store().watch("/a", false);
        assertEquals(List.of(), watching.toldByNow());

        List<List<NodeOp>> reported = List.of(
                List.of(create("/a")),
                List.of(set("/a", 0)),
                List.of(create("/a/b")),
                List.of(create("/a/c")),
                List.of(delete("/a/b")),
                List.of(delete("/a/c")),
                List.of(delete("/a")),
                List.of(create("/a")));
        for (List<NodeOp> change : reported) {
            assertInstanceOf(Outcome.Committed.class, get(writing.store().commit(change)));
            assertEquals(List.of("changed /a"), watching.toldByNow(), () -> "after " + change);
        }
    }

    @Test
    void aWatchOfOneNodeReportsNothingFromBelowItsChildren() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"), create("/a/b"));
        watching.store().watch("/a", false);
        watching.settle();

        writing.committed(set("/a/b", 0), create("/a/b/c"), set("/a/b/c", 0), create("/ab"), check("/a", 0));

        assertEquals(List.of(), watching.toldByNow());
    }

    @Test
    void aRecursiveWatchReportsEveryChangeAtAndBelowTheNode() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/ab"));
        watching.store().watch("/a", true);
        watching.settle();

        writing.committed(create("/a"), create("/a/b"), create("/a/b/c"), set("/a/b", 0), create("/ab/c"));
        assertEquals(List.of("changed /a", "changed /a/b", "changed /a/b/c", "changed /a/b"), watching.toldByNow());
        writing.committed(delete("/a/b/c"), delete("/a/b"), delete("/a"));
        assertEquals(List.of("changed /a/b/c", "changed /a/b", "changed /a"), watching.toldByNow());
    }

    @Test
    void theWholeTreeCanBeWatched() {
        Client watching = start();
        Client writing = start();
        watching.store().watch("/", true);
        watching.settle();

        writing.committed(create("/a"), create("/a/b"), set("/", NodeOp.ANY_VERSION));

        assertEquals(List.of("changed /a", "changed /a/b", "changed /"), watching.toldByNow());
    }

    @Test
    void oneChangeThatSeveralWatchesAreAboutIsReportedOnce() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));
        watching.store().watch("/", true);
        watching.store().watch("/a", false);
        get(watching.store().read("/a", true));

        writing.committed(set("/a", 0));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void aWatchSurvivesInterruptionsAndNewSessions() {
        Client watching = start();
        Client writing = start();
        watching.store().watch("/a", false);
        watching.store().watch("/r", true);

        cut(watching.store());
        watching.told().await("suspended");
        watching.store().watch("/later", false);
        heal(watching.store());
        watching.told().await("connected");
        watching.settle();
        writing.committed(create("/a"), create("/r"), create("/r/x"), create("/later"));
        assertEquals(List.of("changed /a", "changed /r", "changed /r/x", "changed /later"), watching.toldByNow());

        expire(watching.store());
        watching.told().await("connected");
        watching.toldByNow();
        writing.committed(set("/a", 0), set("/r/x", 0), set("/later", 0));
        assertEquals(List.of("changed /a", "changed /r/x", "changed /later"), watching.toldByNow());
    }

    @Test
    void aWatchMayBeSetBeforeTheStoreIsStarted() {
        Client watching = unstarted();
        Client writing = start();
        watching.store().watch("/a", false);
        watching.store().start(watching.told());
        watching.told().await("connected");
        watching.settle();

        writing.committed(create("/a"));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void anEndedWatchReportsNothingMore() {
        Client watching = start();
        Client writing = start();
        watching.store().watch("/a", false);
        watching.store().watch("/r", true);
        watching.store().watch("/cut", true);
        watching.store().unwatch("/a");
        watching.store().unwatch("/r");
        watching.store().unwatch("/never-watched");
        watching.settle();
        writing.committed(create("/a"), create("/r"), create("/r/x"), create("/cut"));
        assertEquals(List.of("changed /cut"), watching.toldByNow());

        cut(watching.store());
        watching.told().await("suspended");
        watching.store().unwatch("/cut");
        heal(watching.store());
        watching.told().await("connected");
        watching.settle();
        writing.committed(set("/a", 0), set("/r/x", 0), set("/cut", 0));
        assertEquals(List.of(), watching.toldByNow());

        watching.store().watch("/a", false);
        watching.settle();
        writing.committed(set("/a", 1));
        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void theEndOfAWatchLeavesAWatchedReadOfTheSameNode() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));
        watching.store().watch("/a", false);
        get(watching.store().read("/a", true));

        watching.store().unwatch("/a");
        watching.settle();
        writing.committed(set("/a", 0));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void anotherWatchOfTheSameNodeReplacesTheFirst() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"), create("/a/b"));

        watching.store().watch("/a", true);
        watching.store().watch("/a", false);
        watching.settle();
        writing.committed(set("/a/b", 0), set("/a", 0));
        assertEquals(List.of("changed /a"), watching.toldByNow());

        watching.store().watch("/a", true);
        watching.settle();
        writing.committed(set("/a/b", 1), create("/a/c"));
        assertEquals(List.of("changed /a/b", "changed /a/c"), watching.toldByNow());
    }
}
