package io.ostraka.api;

/**
 * Thrown if a trigger is refused because too many triggers of this process have not ended yet. The refused trigger was
 * not sent to ZooKeeper. The caller can wait until other runs end ({@link JobRun#completion()}) and trigger again.
 * Alternatively, it can call {@code triggerAfter} with a key, which merges triggers with the same key.
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
