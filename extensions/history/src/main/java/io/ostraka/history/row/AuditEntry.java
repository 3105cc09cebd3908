package io.ostraka.history.row;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step of an operator's command. The history only adds such rows, and never changes them.
 *
 * @param at time of the step by the clock of the process that executes the command
 * @param requestId id of the command's request; the steps of one command have the same id
 * @param actor person or program that gave the command
 * @param origin source of the command, such as an address; empty if unknown
 * @param role role of the actor; empty if unknown
 * @param operation name of the operation, such as {@code PAUSE}
 * @param target object of the command, such as the name of a job; empty for the whole namespace
 * @param reason reason that the actor gave; empty if none
 * @param detail the command's arguments without secret values
 * @param outcome null before the command is executed; afterwards its result, such as {@code DONE} or {@code UNKNOWN}
 */
public record AuditEntry(
        Instant at,
        String requestId,
        String actor,
        String origin,
        String role,
        String operation,
        String target,
        String reason,
        String detail,
        @Nullable String outcome)
        implements Row {}
