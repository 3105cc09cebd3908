package io.ostraka.examples.demo;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The sequence of the demo: workers share the items, one worker is killed, another is frozen and continues too late,
 * and all orders are settled.
 */
final class Story {
    static final int ORDERS = 20_000;

    private static final int WORKERS = 3;
    private static final double KILLED_AT = 0.4;
    /** Time limit for steps that usually take a moment, but may take longer on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final OrderDatabase database;
    private final Sessions sessions;
    private final Workers workers;
    private final Board board;
    private final Screen screen;
    private final boolean fenced;
    private final Audit audit;
    private final List<Audit.Finding> lateWrites = new ArrayList<>();
    private final List<Failover> failovers = new ArrayList<>();

    Story(Stage stage, boolean fenced) {
        this.database = stage.database();
        this.sessions = stage.sessions();
        this.workers = stage.workers();
        this.board = stage.board();
        this.screen = stage.screen();
        this.fenced = fenced;
        this.audit = new Audit(database.source());
    }

    /** Runs the whole story and returns the results of the checks. */
    List<Audit.Finding> tell() throws DemoFailure, IOException, SQLException, InterruptedException {
        shareOut();
        killOne();
        freezeOne();
        finish();

        List<Audit.Finding> findings = new ArrayList<>();
        findings.add(audit.settledExactlyOnce(ORDERS));
        findings.add(audit.tokensOnlyRise());
        findings.addAll(lateWrites);
        failovers.forEach(failover -> findings.add(new Audit.Finding(failover.complete(), failover.toString())));
        return findings;
    }

    private void shareOut() throws DemoFailure, IOException, SQLException, InterruptedException {
        for (int i = 0; i < WORKERS; i++) {
            workers.start();
        }
        screen.phase(WORKERS + " workers start, each a JVM of its own");
        board.await("the items to be shared out", PATIENCE, () -> found(owners(board.latest()) == WORKERS));
        OrderDatabase.seed(database.source(), ORDERS);
        screen.phase(ORDERS + " orders have come in");
        board.await("every item to run and have orders settled", PATIENCE, () -> {
            boolean begun = database.progress().settled().stream().allMatch(settled -> settled > 0);
            return found(begun && allRun() && owners(board.latest()) == WORKERS);
        });
        screen.phase("all " + SettleOrders.ITEMS + " items run: " + whoRunsWhat());
    }

    private static Optional<Boolean> found(boolean holds) {
        return holds ? Optional.of(true) : Optional.empty();
    }

    private static long owners(List<Board.Run> runs) {
        return runs.stream().map(Board.Run::worker).distinct().count();
    }

    private boolean allRun() {
        List<Board.Run> latest = board.latest();
        return latest.size() == SettleOrders.ITEMS && latest.stream().noneMatch(Board.Run::ended);
    }

    private void killOne() throws DemoFailure, IOException, SQLException, InterruptedException {
        board.await("two fifths of the orders to be settled", PATIENCE, () -> {
            OrderDatabase.Progress progress = database.progress();
            return found(progress.allSettled() >= KILLED_AT * progress.all() && allRun());
        });
        Worker victim = busiest();
        CompletableFuture<Long> expiry = sessions.end(board.instanceId(victim.name()));
        long killedNanos = System.nanoTime();
        victim.kill();
        Worker replacement = workers.start();
        List<Board.Run> left = board.running(victim.name());
        if (left.isEmpty()) {
            throw new DemoFailure(victim.name() + " was killed when it ran nothing");
        }
        screen.phase(victim.name() + " killed with -9 in the midst of items " + items(left) + "; " + replacement.name()
                + " starts in its place");

        Failover failover = failover(victim, "killed with -9", killedNanos, expiry, left);
        replayLateWrite(failover.taken().get(0).left());
    }

    /**
     * Waits until other workers have taken over the items of a lost worker and have passed their tokens to the store.
     */
    private Failover failover(
            Worker lost, String how, long lostNanos, CompletableFuture<Long> expiry, List<Board.Run> left)
            throws DemoFailure, SQLException, InterruptedException {
        List<Failover.Taken> taken = board.await("others to take over from " + lost.name(), PATIENCE, () -> {
            List<Failover.Taken> found = new ArrayList<>();
            for (Board.Run run : left) {
                board.successor(run).ifPresent(again -> found.add(new Failover.Taken(run, again)));
            }
            return found.size() == left.size() ? Optional.of(found) : Optional.empty();
        });
        board.await("the store to know the new tokens", PATIENCE, () -> {
            boolean known = true;
            for (Failover.Taken item : taken) {
                known &= database.token(item.left().item()) > item.left().token();
            }
            return found(known || !fenced);
        });
        long expiredNanos = board.await(
                "the end of the session of " + lost.name(),
                PATIENCE,
                () -> expiry.isDone() ? Optional.of(expiry.join()) : Optional.empty());
        var failover = new Failover(lost.name(), how, lostNanos, expiredNanos, taken);
        failovers.add(failover);
        screen.phase("items " + failover.items() + " run again on " + failover.survivors());
        return failover;
    }

    /** Simulates a write that the killed worker sent just before it died and that arrives late. */
    private void replayLateWrite(Board.Run left) throws SQLException {
        var store = new SettlementStore(database.source(), fenced);
        var fence = new Fence(SettleOrders.NAME, left.item(), left.token(), database.generation());
        boolean refused = false;
        try {
            store.settle(store.unsettled(left.item(), 1), fence);
        } catch (LateWriteException e) {
            refused = true;
        }
        lateWrites.add(audit.lateWrite(left.item(), left.token(), refused, "replayed for " + left.worker()));
    }

    /**
     * Freezes a worker between its last check and its write, until other workers own its items. The frozen worker then
     * continues and writes.
     */
    private void freezeOne() throws DemoFailure, IOException, SQLException, InterruptedException {
        Worker sleeper = busiest();
        sleeper.send(SettlementWorker.HOLD);
        List<Board.Run> held = board.await(sleeper.name() + " to hold before its writes", PATIENCE, () -> {
            List<Board.Run> running = board.running(sleeper.name());
            boolean all = !running.isEmpty() && running.stream().allMatch(Board.Run::held);
            return all ? Optional.of(running) : Optional.empty();
        });
        CompletableFuture<Long> expiry = sessions.end(board.instanceId(sleeper.name()));
        long frozenNanos = System.nanoTime();
        sleeper.freeze();
        screen.phase(sleeper.name() + " frozen just before it writes to items " + items(held));

        failover(sleeper, "frozen", frozenNanos, expiry, held);
        sleeper.send(SettlementWorker.RELEASE);
        sleeper.thaw();
        board.await(
                "the late writes of " + sleeper.name(),
                PATIENCE,
                () -> found(held.stream().allMatch(Board.Run::ended)));
        screen.phase(sleeper.name() + " awake again; it has tried to write with its old tokens");
        for (Board.Run run : held) {
            lateWrites.add(
                    audit.lateWrite(run.item(), run.token(), run.refused(), sleeper.name() + " after its pause"));
        }
    }

    private void finish() throws DemoFailure, IOException, SQLException, InterruptedException {
        board.await("all orders to be settled", PATIENCE, () -> {
            OrderDatabase.Progress progress = database.progress();
            return found(progress.allSettled() == progress.all());
        });
        screen.phase("no order is unsettled");
        List<Worker> left = working();
        for (Worker worker : left) {
            worker.stop();
        }
        for (Worker worker : left) {
            if (!worker.stopped()) {
                throw new DemoFailure(worker.name() + " did not shut down gracefully");
            }
        }
        screen.phase("workers shut down");
    }

    private List<Worker> working() {
        return workers.all().stream()
                .filter(worker -> worker.state().equals("working"))
                .toList();
    }

    /** Returns the worker with the most unsettled orders. */
    private Worker busiest() throws SQLException {
        OrderDatabase.Progress progress = database.progress();
        return working().stream()
                .max(Comparator.comparingInt(worker -> board.running(worker.name()).stream()
                        .mapToInt(run -> progress.left(run.item()))
                        .sum()))
                .orElseThrow();
    }

    private String whoRunsWhat() {
        Map<String, String> items = new TreeMap<>();
        board.latest().forEach(run -> items.merge(run.worker(), " " + run.item(), String::concat));
        return String.join(
                ", ",
                items.entrySet().stream()
                        .map(entry -> entry.getKey() + " has" + entry.getValue())
                        .toList());
    }

    private static String items(List<Board.Run> runs) {
        return String.join(
                " ", runs.stream().map(run -> Integer.toString(run.item())).toList());
    }
}
