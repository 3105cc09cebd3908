package io.ostraka.core.coordination;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Everything that operators have set in a namespace, as one JSON document: the overrides of all jobs, and the orders for
 * the whole namespace. Definitions are not included, because the application registers them.
 */
public interface Settings {
    /** Returns the document. The stage fails if a node is unreadable. */
    CompletionStage<String> export();

    /**
     * Returns the differences between a document and the namespace, one sentence each; empty if there are none. Request
     * ids and the times of nodes are no differences. The stage fails with an {@link IllegalArgumentException} if the
     * document is unreadable.
     */
    CompletionStage<List<String>> diff(String document);

    /**
     * Writes the settings of a document, also for jobs that no instance has registered yet, one node after the other.
     * Settings that the document lacks stay unchanged.
     *
     * @return a sentence for each change; empty if nothing had to be changed. Fails as {@link #diff} does, and with an
     *     {@link io.ostraka.api.UnknownOutcomeException} if a reply was lost; a repeated call then changes the rest
     */
    CompletionStage<List<String>> apply(String document);
}
