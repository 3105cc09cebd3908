package io.ostraka.api.operations;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Options of a command: its actor, its reason, its identity and the condition under which it is executed. Immutable.
 *
 * @param actor name of the person or program that gives the command, 1 to 128 visible characters and blanks, so that
 *     no two names look the same in a log; stored with the change
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

    /** Characters that control the output, or that a reader cannot see: such as marks of the direction. */
    private static final Pattern HIDDEN = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]");

    /** A reason may be in a script or have a symbol that needs characters which a reader cannot see. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]");

    private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._@-]{1,128}");

    /**
     * Checks the texts.
     *
     * @throws IllegalArgumentException if the actor or the reason is too long or has a control character, a separator of
     *     lines or half a surrogate pair, if the actor is empty or has an invisible character, or if the request id is
     *     not accepted
     */
    public CommandOptions {
        require("actor", actor, 1, LONGEST_ACTOR, HIDDEN, "a control character, an invisible character");
        require("reason", reason, 0, LONGEST_REASON, CONTROL, "a control character, a separator of lines");
        if (requestId != null && !REQUEST_ID.matcher(requestId).matches()) {
            throw new IllegalArgumentException("requestId is '"
                    + HIDDEN.matcher(requestId.length() > 128 ? requestId.substring(0, 128) + "…" : requestId)
                            .replaceAll("?")
                    + "'; accepted: 1 to 128 letters, digits and . _ @ -");
        }
    }

    private static void require(String name, String value, int least, int most, Pattern refused, String description) {
        if (value.length() < least
                || value.length() > most
                || refused.matcher(value).find()) {
            throw new IllegalArgumentException(name + " has " + value.length() + " characters; accepted: " + least
                    + " to " + most + ", none of them " + description + " or half a surrogate pair");
        }
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
