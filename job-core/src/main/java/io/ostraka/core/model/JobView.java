package io.ostraka.core.model;

import com.google.gson.JsonElement;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OstrakaException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a job that affect all its items, as read from ZooKeeper. The nodes are read one after the other, so they
 * may show the states of different times. The value of a damaged node is null; a reader that has an earlier value keeps
 * using that value.
 *
 * @param name name of the job
 * @param definition the registered definition; null if missing or damaged
 * @param override the operators' override; null if missing or damaged
 * @param plan the plan; null if missing or damaged
 * @param damages descriptions of the damaged nodes
 */
public record JobView(
        String name,
        @Nullable Versioned<Definition> definition,
        @Nullable Versioned<JobOverride> override,
        @Nullable Versioned<ShardingPlan> plan,
        Damages damages) {
    private static final String UNKNOWN_OVERRIDE =
            "an operator may have paused or removed the job, so none of its items starts";
    private static final String REPLACE =
            " until the node is corrected, or an operation such as pause or resume replaces it";

    /**
     * Damage of each node; null if the node is readable or missing.
     *
     * @param definition damage of the definition
     * @param override damage of the override
     * @param plan damage of the plan
     */
    public record Damages(
            @Nullable UnreadableNode definition, @Nullable UnreadableNode override, @Nullable UnreadableNode plan) {
        /** No damage. */
        public static final Damages NONE = new Damages(null, null, null);

        /** Returns the damages of all unreadable nodes. */
        public Stream<UnreadableNode> unreadable() {
            return Stream.of(definition, override, plan).flatMap(Stream::ofNullable);
        }
    }

    /** Name of the field in a definition's node that stores the id of the instance that registered the definition. */
    public static final String REGISTERED_BY = "registeredBy";

    /** Returns the id of the instance that registered the definition; empty if the node does not contain this id. */
    public String registeredBy() {
        JsonElement by = definition == null ? null : definition.unknown().get(REGISTERED_BY);
        return by != null && by.isJsonPrimitive() ? by.getAsString() : "";
    }

    /**
     * Returns false if the node of the override is damaged. The unreadable override may pause or remove the job, so
     * instances then neither plan nor run the job.
     */
    public boolean overrideKnown() {
        return damages.override == null;
    }

    /**
     * Returns the override; {@link JobOverride#NONE} if there is none.
     *
     * @throws IllegalStateException if the override is not {@link #overrideKnown known}
     */
    public JobOverride overrideOrNone() {
        if (damages.override != null) {
            throw new IllegalStateException(damages.override.text());
        }
        return override == null ? JobOverride.NONE : override.value();
    }

    /**
     * Returns the configuration by which the job is planned and run, see {@link Definition#inForce}. The definition
     * must exist.
     *
     * @throws IllegalStateException if the override is not {@link #overrideKnown known}
     * @throws io.ostraka.api.JobConfigurationException if the definition is not valid with this override
     */
    public JobConfiguration effective() {
        return Objects.requireNonNull(definition, "definition").value().inForce(overrideOrNone());
    }

    /**
     * Returns the effective configuration. While the override is not {@link #overrideKnown known} or does not fit the
     * definition, returns the configuration of the definition, which must exist.
     */
    public JobConfiguration configuration() {
        try {
            if (overrideKnown()) {
                return effective();
            }
        } catch (OstrakaException e) {
            // the job's health reports the field that does not fit
        }
        return Objects.requireNonNull(definition, "definition").value().configuration();
    }

    /**
     * Checks that a command may replace all nodes of the job.
     *
     * @throws io.ostraka.api.CoordinationException if a node must not be replaced
     */
    public void requireReplaceable() {
        damages.unreadable().forEach(UnreadableNode::requireReplaceable);
    }

    /** Returns a description of all damages; null if there are none. */
    public @Nullable String problem() {
        String text = damages.unreadable().map(UnreadableNode::text).collect(Collectors.joining("; "));
        return text.isEmpty() ? null : text;
    }

    /**
     * Returns a description of all damages and their consequence; null if there are none.
     *
     * @param completed this view after {@link #completedBy} has replaced damaged values
     * @param otherwise description of the consequence if the override is known; may be empty
     */
    public @Nullable String problem(JobView completed, String otherwise) {
        String problem = problem();
        boolean replaceable = damages.override != null && damages.override.replaceable();
        String consequence =
                completed.overrideKnown() ? otherwise : replaceable ? UNKNOWN_OVERRIDE + REPLACE : UNKNOWN_OVERRIDE;
        return problem == null || consequence.isEmpty() ? problem : problem + "; " + consequence;
    }

    /**
     * Returns the same view with a damaged definition or override replaced by the value of an earlier view. If the
     * earlier view has no value either, the damage remains. A damaged plan always stays damaged.
     */
    public JobView completedBy(@Nullable JobView earlier) {
        return earlier == null
                ? this
                : new JobView(
                        name,
                        damages.definition == null ? definition : earlier.definition,
                        damages.override == null ? override : earlier.override,
                        plan,
                        new Damages(
                                earlier.definition == null ? damages.definition : null,
                                earlier.overrideKnown() ? null : damages.override,
                                damages.plan));
    }
}
