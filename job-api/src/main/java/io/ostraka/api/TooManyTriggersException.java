package io.ostraka.api;

/**
 * A trigger was refused at once because too many triggers that this process has asked for have not ended yet. Nothing was
 * sent to ZooKeeper. The caller can wait for runs to end ({@link JobRun#completion()}) and trigger again, or let triggers of
 * the same key merge into one ({@code triggerAfter}).
 */
public final class TooManyTriggersException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /** Says of which job, how many there are, and what to do. */
    public TooManyTriggersException(String message) {
        super(message, null);
    }
}
