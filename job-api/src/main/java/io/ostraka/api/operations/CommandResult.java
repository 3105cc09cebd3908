package io.ostraka.api.operations;

import java.util.List;

/** Result of a command that was not refused. A refused command throws an exception and changes nothing. Immutable. */
public sealed interface CommandResult {
    /** Returns a description for people. */
    String text();

    /**
     * The command has changed the namespace.
     *
     * @param version new version of the changed node, for the next command's {@link CommandOptions#expectedVersion}; 0
     *     if the command changed several nodes or deleted the node
     * @param created id of a created object, such as the run id of a trigger; empty if nothing was created
     * @param text description for people
     */
    record Applied(long version, String created, String text) implements CommandResult {}

    /**
     * The command has changed nothing, because the namespace already has the requested state, or because a command with
     * the same request id was applied before.
     *
     * @param version version of the node; 0 if there is none
     * @param created id of the object that the earlier command created; empty if it created none
     * @param text description for people
     */
    record Unchanged(long version, String created, String text) implements CommandResult {}

    /**
     * The command has changed nothing, because the node no longer has the {@link CommandOptions#expectedVersion}.
     * Another command may have changed the node; the record of an item also changes with each fire. Read the view again
     * and decide again.
     *
     * @param version current version of the node; 0 if it does not exist
     * @param text description for people; if the node is an override, the text also describes its latest change
     */
    record Conflict(long version, String text) implements CommandResult {}

    /**
     * ZooKeeper did not answer in time, so the command may or may not have been applied. Repeat the command with the
     * same request id, so that it is applied only once.
     *
     * @param requestId id with which to repeat the command
     * @param text description for people
     */
    record Unknown(String requestId, String text) implements CommandResult {}

    /**
     * Result of a dry run: nothing was changed.
     *
     * @param version current version of the node that the command would change; 0 if it does not exist
     * @param effects expected effects, one sentence each; unmodifiable
     */
    record Preview(long version, List<String> effects) implements CommandResult {
        /** Copies the effects. */
        public Preview {
            effects = List.copyOf(effects);
        }

        @Override
        public String text() {
            return String.join("; ", effects);
        }
    }
}
