package io.ostraka.core.coordination;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.LongPredicate;

/**
 * The plan, the items, and what is done to them: the transactions that the protocol rests on.
 */
public interface Items {
    /** Carries out what an instance does to items; sent once. */
    CompletionStage<Verdict> commit(ItemTransaction transaction);

    /** Carries out what the leader does to a job; sent once. */
    CompletionStage<Verdict> commit(PlanTransaction transaction);

    /** Lists the keys of all records of a job. */
    CompletionStage<List<String>> keys(String job);

    /**
     * Reads items of a job, after every write that has been answered to anyone.
     *
     * @param watched of which sessions running nodes are watched: that one of theirs goes is reported, once
     */
    CompletionStage<List<ItemView>> read(String job, Collection<String> items, LongPredicate watched);

    /** Reads an item's checkpoint. */
    CompletionStage<Optional<byte[]>> checkpoint(String job, String item);

    /**
     * Saves an item's checkpoint if its record still has a version.
     *
     * @return {@link Verdict.About#RECORD} outdated when it has not
     */
    CompletionStage<Verdict> saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);
}
