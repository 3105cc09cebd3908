package io.ostraka.api;

/**
 * Thrown if a trigger is refused because too many triggers of this process have not ended yet. The engine sent nothing
 * to ZooKeeper. The caller can wait for runs to end ({@link JobRun#completion()}) and trigger again, or merge triggers
 * of the same key ({@code triggerAfter}).
 */
public final class TooManyTriggersException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the job and the number of triggers, and suggests an action
     */
    public TooManyTriggersException(String message) {
        super(message, null);
    }
}
