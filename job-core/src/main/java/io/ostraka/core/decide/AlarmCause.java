package io.ostraka.core.decide;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmKind;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.Names;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

/**
 * A problem that causes an alarm.
 *
 * @param since start of the problem
 * @param items keys of affected items, at most {@value Alarm#MOST_ITEMS}; empty if the problem does not concern single
 *     items
 * @param itemCount number of all affected items
 * @param text description of the problem, for people
 */
public record AlarmCause(AlarmKind kind, Instant since, List<String> items, int itemCount, String text) {
    static AlarmCause ofJob(AlarmKind kind, Instant since, String text) {
        return new AlarmCause(kind, since, List.of(), 0, text);
    }

    /**
     * Returns the cause for some items.
     *
     * @param after text that follows the names of the items
     */
    static AlarmCause ofItems(AlarmKind kind, Instant since, Collection<String> items, String after) {
        List<String> sorted = items.stream().sorted(ItemKeys.ORDER).toList();
        return new AlarmCause(
                kind,
                since,
                sorted.subList(0, Math.min(Alarm.MOST_ITEMS, sorted.size())),
                sorted.size(),
                Names.items(sorted) + after);
    }
}
