package io.ostraka.api.operations;

import org.jspecify.annotations.Nullable;

/**
 * Options of a command: its actor, its reason, its identity and the condition under which it is executed. Immutable.
 *
 * @param actor name of the person or program that gives the command, 1 to 128 characters; stored with the change
 * @param reason reason for the command, at most 500 characters; stored with the change
 * @param requestId identity of the command, 1 to 128 letters, digits, dots, hyphens, underscores and at signs. A
 *     command that has the same id as an earlier command changes nothing, so a caller may repeat a command after an
 *     unknown outcome. Null to create a new id for each execution
 * @param expectedVersion version of the node that the command changes, as a view or a preview has shown it; 0 if the
 *     node did not exist. If the node has another version now, the command changes nothing, and its result is a {@link
 *     CommandResult.Conflict}, even in a dry run. Null accepts every version. {@link Command.Trigger}, {@link
 *     Command.CancelTrigger}, {@link Command.RerunItems}, {@link Command.StopFire}, {@link Command.EvictInstance} and
 *     {@link Command.Apply} create a node or change several nodes, and no view shows the versions of these nodes. For
 *     these commands, {@link Operations#execute} accepts only null and 0
 * @param dryRun true to return the expected effects and change nothing
 */
public record CommandOptions(
        String actor, String reason, @Nullable String requestId, @Nullable Long expectedVersion, boolean dryRun) {
    /** Longest name of an actor, in characters. */
    public static final int LONGEST_ACTOR = 128;
    /** Longest reason, in characters. */
    public static final int LONGEST_REASON = 500;

    private static final int LONGEST_ID = 128;

    /**
     * Checks the texts.
     *
     * @throws IllegalArgumentException if an argument is too long or has a control character or half a surrogate pair,
     *     or if the actor or the request id is empty
     */
    public CommandOptions {
        require("actor", actor, 1, LONGEST_ACTOR);
        require("reason", reason, 0, LONGEST_REASON);
        if (requestId != null) {
            require("requestId", requestId, 1, LONGEST_ID);
        }
    }

    private static void require(String name, String value, int least, int most) {
        if (value.length() < least || value.length() > most || !isPrintable(value)) {
            throw new IllegalArgumentException(name + " has " + value.length() + " characters; accepted: " + least
                    + " to " + most + ", none of them a control character or half a surrogate pair");
        }
    }

    private static boolean isPrintable(String text) {
        return text.codePoints()
                .noneMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    }

    /** Returns options that have no reason, create a new request id for each execution, and accept any version. */
    public static CommandOptions by(String actor) {
        return new CommandOptions(actor, "", null, null, false);
    }

    /** Returns these options with the given reason. */
    public CommandOptions because(String why) {
        return new CommandOptions(actor, why, requestId, expectedVersion, dryRun);
    }

    /** Returns these options with the given request id. */
    public CommandOptions withRequestId(String id) {
        return new CommandOptions(actor, reason, id, expectedVersion, dryRun);
    }

    /** Returns these options with the given expected version. */
    public CommandOptions expecting(long version) {
        return new CommandOptions(actor, reason, requestId, version, dryRun);
    }

    /** Returns these options for a dry run, which changes nothing. */
    public CommandOptions asDryRun() {
        return new CommandOptions(actor, reason, requestId, expectedVersion, true);
    }
}
