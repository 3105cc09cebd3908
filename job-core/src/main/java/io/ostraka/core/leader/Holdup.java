package io.ostraka.core.leader;

import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** What a change of the item count waits for, in words. */
final class Holdup {
    private static final int MOST_NAMED = 10;

    private Holdup() {}

    static String text(ShardingPlan plan, ShardingPlan.Change change, Collection<ItemView> items, boolean firesGoOn) {
        List<String> running = items.stream()
                .filter(item -> item.running() != 0
                        || (item.record() != null && item.record().value().unfinished()))
                .sorted(Comparator.comparing(ItemView::item, ItemKeys.ORDER))
                .map(Holdup::text)
                .toList();
        String waits = running.isEmpty()
                ? (firesGoOn ? "; waits for a trigger that has begun" : "")
                : running.stream().limit(MOST_NAMED).collect(Collectors.joining(", ", "; waits for ", ""))
                        + (running.size() > MOST_NAMED ? " and " + (running.size() - MOST_NAMED) + " more" : "");
        return plan.changing(change) + waits;
    }

    private static String text(ItemView item) {
        Run run = item.record() == null ? null : item.record().value().run();
        return "item " + item.item() + (run == null ? "" : " on instance " + run.owner() + " since " + run.startedAt());
    }
}
