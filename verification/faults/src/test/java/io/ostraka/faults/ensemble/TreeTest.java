package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.jupiter.api.Test;

/** Tests that a logged transaction is accepted only if it is possible after all transactions before it. */
class TreeTest {
    private static List<Event.Transaction> history(LoggedTransaction... logged) {
        Tree tree = new Tree();
        return Stream.of(logged).map(tree::take).toList();
    }

    private static void refused(String why, LoggedTransaction... logged) {
        assertThatThrownBy(() -> history(logged))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(why);
    }

    @Test
    void missingVersionIsRefused() {
        refused("written at version 2 after 0", Logged.create(1, "/a", false), Logged.change(2, "/a", 2));
        refused(
                "written at version 1 after 1",
                Logged.create(1, "/a", false),
                Logged.change(2, "/a", 1),
                Logged.change(3, "/a", 1));
        refused(
                "written at version 1 after 2",
                Logged.create(1, "/a", false),
                Logged.change(2, "/a", 1),
                Logged.change(3, "/a", 2),
                Logged.change(4, "/a", 1));
    }

    @Test
    void writeAndDeletionOfMissingNodeAreRefused() {
        refused("is written, but does not exist", Logged.change(1, "/a", 1));
        refused("is deleted, but does not exist", Logged.delete(1, "/a"));
        refused(
                "is deleted, but does not exist",
                Logged.create(1, "/a", false),
                Logged.delete(2, "/a"),
                Logged.delete(3, "/a"));
    }

    @Test
    void serversOwnNodesExistFromTheStart() {
        assertThat(history(Logged.change(1, "/zookeeper/config", 1)).get(0).writes())
                .isEmpty();
    }

    @Test
    void creationOfExistingNodeIsRefused() {
        refused("is created, but already exists", Logged.create(1, "/a", false), Logged.create(2, "/a", false));
        refused("is created, but already exists", Logged.create(1, "/a", false), Logged.move(2, "/b", "/a"));
    }

    @Test
    void endOfSessionMustListItsNodes() {
        refused("ends with [], but has [/a]", Logged.create(1, "/a", true), Logged.endOfSession(2));
        refused("ends with [/a], but has []", Logged.create(1, "/a", false), Logged.endOfSession(2, "/a"));
        refused(
                "ends with [/a], but has []",
                Logged.create(1, "/a", true),
                Logged.delete(2, "/a"),
                Logged.endOfSession(3, "/a"));

        Event.Transaction end = history(
                        Logged.create(1, "/a", true), Logged.create(2, "/b", false), Logged.endOfSession(3, "/a"))
                .get(2);
        assertThat(end.endsSession()).isTrue();
        assertThat(end.writes()).containsExactly(new Write.Deleted("/a"));
    }

    @Test
    void nodeBelongsToItsSessionUntilDeleted() {
        assertThat(history(
                        Logged.create(1, "/a", true),
                        Logged.change(2, "/a", 1),
                        Logged.delete(3, "/a"),
                        Logged.endOfSession(4)))
                .hasSize(4);
    }

    @Test
    void endOfSessionWithoutListDeletesItsNodes() {
        LoggedTransaction end = Logged.of(2, OpCode.closeSession, null);

        assertThat(history(Logged.create(1, "/a", true), end).get(1).writes()).containsExactly(new Write.Deleted("/a"));
    }

    @Test
    void transactionIsAppliedAsAWholeOrNotAtAll() {
        List<Event.Transaction> history =
                history(Logged.create(1, "/a", false), Logged.move(2, "/a", "/b"), Logged.failed(3, "/c"));

        assertThat(history.get(1).writes())
                .containsExactly(new Write.Created("/b", "", false), new Write.Deleted("/a"));
        assertThat(history.get(2).writes()).isEmpty();
        refused("is deleted, but does not exist", Logged.move(1, "/a", "/b"));
    }
}
