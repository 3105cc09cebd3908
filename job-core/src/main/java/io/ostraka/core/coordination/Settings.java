package io.ostraka.core.coordination;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Exports, compares and restores everything that operators have set in a namespace, as one JSON document. The document
 * contains the overrides of all jobs and the orders for the whole namespace. Definitions are not included, because the
 * application registers them.
 */
public interface Settings {
    /** Exports all settings of the namespace as a document. The stage fails if a node with settings is unreadable. */
    CompletionStage<String> export();

    /**
     * Returns the differences between the settings in a document and those in the namespace, one sentence each; empty
     * if there are none. Request ids and the times of nodes are not compared. The stage fails if a node is unreadable.
     *
     * @throws IllegalArgumentException if the document is unreadable
     * @throws io.ostraka.api.JobConfigurationException if the document contains an invalid job name
     */
    CompletionStage<List<String>> diff(String document);

    /**
     * Returns the differences that {@link #apply} would remove, one sentence each; empty if it would change nothing.
     * The stage fails if a node is unreadable.
     *
     * @throws IllegalArgumentException if the document is unreadable
     * @throws io.ostraka.api.JobConfigurationException if the document contains an invalid job name
     */
    CompletionStage<List<String>> preview(String document);

    /**
     * Writes the settings of a document, one node after the other. The jobs do not need to be registered yet. The
     * overrides of jobs that are missing from the document stay unchanged, and so do the orders if the document has
     * none.
     *
     * @return a sentence for each change; empty if nothing had to be changed. The stage fails if a node is unreadable.
     *     It fails with an {@link io.ostraka.api.UnknownOutcomeException} if a reply was lost; repeat the call to make
     *     the remaining changes
     * @throws IllegalArgumentException if the document is unreadable
     * @throws io.ostraka.api.JobConfigurationException if the document contains an invalid job name
     */
    CompletionStage<List<String>> apply(String document);
}
