package io.ostraka.api.operations;

import org.jspecify.annotations.Nullable;

/**
 * A field of a job's configuration: its value in the definition, its override and its effective value. Immutable.
 *
 * @param field name of the field; see {@link io.ostraka.api.JobConfiguration#fields()}
 * @param defined value in the definition; null if the field has none
 * @param overridden true if an override replaces the value
 * @param effective value in effect; null if the field has none
 * @param change the command that has set the override; null if there is no override, or if the override does not name
 *     the command
 */
public record FieldValue(
        String field,
        @Nullable Object defined,
        boolean overridden,
        @Nullable Object effective,
        @Nullable Change change) {}
