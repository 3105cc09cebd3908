package io.ostraka.playground;

import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.api.operations.Role;
import io.ostraka.console.Caller;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Commands that an operator gives before the first visitor opens the console. */
final class Operator {
    /** The operator, who has all rights except those to end processes and to delete data. */
    static final Caller CALLER = new OnCall();

    private final Operations operations;

    /** @param operations operations of {@link #CALLER} */
    Operator(Operations operations) {
        this.operations = operations;
    }

    private static final class OnCall implements Caller {
        @Override
        public String name() {
            return "on-call";
        }

        @Override
        public String origin() {
            return "playground";
        }

        @Override
        public boolean has(Role role, String namespace, @Nullable String job) {
            return role != Role.ADMIN;
        }

        @Override
        public boolean sees(String namespace) {
            return true;
        }
    }

    private void execute(Command command, String why) {
        operations.execute(command, CommandOptions.by(CALLER.name()).because(why));
    }

    /** Pauses a job, changes another one, and starts runs of two more. */
    void actInShop() {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        execute(
                new Command.Pause(Shop.CHARGE_CARDS, now.plus(Duration.ofHours(3))),
                "the payment provider is in maintenance");
        execute(
                slower(Duration.ofSeconds(20), now.plus(Duration.ofHours(4))),
                "the warehouse system is slow today; more pause between two runs");
        execute(
                new Command.Trigger(
                        Shop.CLOSE_MONTH,
                        Set.of(),
                        Map.of("month", YearMonth.now(Shop.ZONE).minusMonths(1).toString()),
                        Duration.ZERO),
                "the books of the last month are complete");
        execute(
                new Command.Backfill(Shop.SETTLE_ORDERS, now.minus(Duration.ofDays(5)), now),
                "the orders of the last days were imported late");
    }

    private static Command slower(Duration delay, @Nullable Instant until) {
        return new Command.SetOverride(Shop.SYNC_STOCK, Map.of("schedule", Schedule.fixedDelay(delay)), until);
    }

    /**
     * Registers jobs in the form that earlier deployments had, and changes one of them. The instance that registers
     * them then ends.
     *
     * @param servers ZooKeeper's servers
     */
    void prepareNight(String servers) {
        try (ZooKeeperRegistry earlier = ZooKeeperRegistry.newBuilder(servers, Playground.NAMESPACE)
                .instanceName("worker-0")
                .connect()) {
            List.of(Night.importReturns(), Night.syncStock(1, Duration.ofMinutes(2))).stream()
                    .map(each -> each.host(earlier))
                    .toList()
                    .forEach(each -> each.scheduled().toCompletableFuture().join());
            execute(slower(Duration.ofMinutes(2), null), "the warehouse system is slow");
        }
    }

    /** Pauses a job without an end, as if the operator had then forgotten the pause. */
    void forgetPause() {
        execute(new Command.Pause(Shop.CHARGE_CARDS), "the payment provider is in maintenance until 22:00");
    }
}
