package io.ostraka.core.model;

import com.google.gson.JsonElement;
import io.ostraka.api.JobConfiguration;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a job that decide for all its items, as read one after the other. A part that can't be read is missing
 * here, so that whoever has an earlier one keeps it.
 *
 * @param name the job
 * @param definition what code registered; null if missing or damaged
 * @param override what an operator changed; null if there is none or it is damaged
 * @param plan the plan; null if there is none yet or it is damaged
 * @param damages what is wrong with the parts that can't be read
 */
public record JobView(
        String name,
        @Nullable Versioned<Definition> definition,
        @Nullable Versioned<JobOverride> override,
        @Nullable Versioned<ShardingPlan> plan,
        Damages damages) {
    private static final String UNKNOWN_OVERRIDE =
            "an operator may have paused or removed the job, so that nothing of it"
                    + " starts until the node is corrected, or a call such as pause or resume replaces it";

    /**
     * What is wrong with each part; null if nothing is.
     *
     * @param definition with the definition
     * @param override with the override
     * @param plan with the plan
     */
    public record Damages(
            @Nullable UnreadableNode definition, @Nullable UnreadableNode override, @Nullable UnreadableNode plan) {
        /** All can be read. */
        public static final Damages NONE = new Damages(null, null, null);
    }

    /** Name of the field beside a definition that says which instance registered it. */
    public static final String REGISTERED_BY = "registeredBy";

    /** Returns the id of the instance that registered the definition; an empty text if the node does not say. */
    public String registeredBy() {
        JsonElement by = definition == null ? null : definition.unknown().get(REGISTERED_BY);
        return by != null && by.isJsonPrimitive() ? by.getAsString() : "";
    }

    /**
     * Returns whether it is known what an operator wants. If not, the operator may have paused or removed the job: nothing of
     * it may be planned or run.
     */
    public boolean overrideKnown() {
        return damages.override == null;
    }

    /**
     * Returns what an operator wants, {@link JobOverride#NONE} without an override.
     *
     * @throws IllegalStateException if it is not {@link #overrideKnown known}
     */
    public JobOverride overrideOrNone() {
        if (damages.override != null) {
            throw new IllegalStateException(damages.override.text());
        }
        return override == null ? JobOverride.NONE : override.value();
    }

    /**
     * Returns the effective configuration: the definition, which must be there, with the override on top.
     *
     * @throws IllegalStateException if what an operator wants is not {@link #overrideKnown known}
     * @throws io.ostraka.api.JobConfigurationException if they make no configuration together
     */
    public JobConfiguration effective() {
        return Objects.requireNonNull(definition, "definition").value().effective(overrideOrNone());
    }

    /** Returns what can't be read and why; null if all can. */
    public @Nullable String problem() {
        String text = Stream.of(damages.definition, damages.override, damages.plan)
                .flatMap(Stream::ofNullable)
                .map(UnreadableNode::text)
                .collect(Collectors.joining("; "));
        return text.isEmpty() ? null : text;
    }

    /**
     * Returns what an instance says that read this view.
     *
     * @param completed this view as completed by what the instance knew before
     * @param otherwise the consequence, unless the override is unknown
     */
    public @Nullable String problem(JobView completed, String otherwise) {
        String problem = problem();
        return problem == null ? null : problem + "; " + (completed.overrideKnown() ? otherwise : UNKNOWN_OVERRIDE);
    }

    /**
     * Returns the same with the definition and the override that an earlier view had, where they are damaged now. The damages
     * that remain are those of parts that are not known from the earlier view either.
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
