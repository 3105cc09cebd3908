package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a configuration is not accepted. The message names the job, the field, the refused value and the accepted
 * values.
 */
public final class JobConfigurationException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    private final String field;

    /**
     * Creates an exception without a cause.
     *
     * @param job name of the job
     * @param field name of the field
     * @param value refused value
     * @param accepted description of the accepted values
     */
    public JobConfigurationException(String job, String field, @Nullable Object value, String accepted) {
        this(job, field, value, accepted, null);
    }

    /**
     * Creates an exception with a cause.
     *
     * @param job name of the job
     * @param field name of the field
     * @param value refused value
     * @param accepted description of the accepted values
     * @param cause exception of the parser that refused the value; null if there is none
     */
    public JobConfigurationException(
            String job, String field, @Nullable Object value, String accepted, @Nullable Throwable cause) {
        super(
                "job '" + printable(job) + "': " + field + " is '" + printable(String.valueOf(value)) + "'; accepted: "
                        + accepted,
                cause);
        this.field = field;
    }

    /** Returns the name of the field. */
    public String field() {
        return field;
    }

    /** Shortens the text and replaces control characters, line separators and marks of the direction, so that a malicious value cannot forge log lines. */
    private static String printable(String text) {
        String shown = text.length() > 200 ? text.substring(0, 200) + "…" : text;
        return shown.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }
}
