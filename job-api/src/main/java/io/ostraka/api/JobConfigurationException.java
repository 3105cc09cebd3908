package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/** A configuration that can't be accepted; the message names the job, the field, the value and what would be accepted. */
public final class JobConfigurationException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    /**
     * Names what is wrong.
     *
     * @param job the job's name
     * @param field the field
     * @param value the refused value
     * @param accepted what would be accepted
     */
    public JobConfigurationException(String job, String field, @Nullable Object value, String accepted) {
        this(job, field, value, accepted, null);
    }

    /**
     * The same, with what found it.
     *
     * @param cause the error of the parser that refused the value, or null
     */
    public JobConfigurationException(
            String job, String field, @Nullable Object value, String accepted, @Nullable Throwable cause) {
        super(
                "job '" + printable(job) + "': " + field + " is '" + printable(String.valueOf(value)) + "'; accepted: "
                        + accepted,
                cause);
    }

    /** Bounds the length and drops control characters, so that a hostile value can't forge log lines. */
    private static String printable(String text) {
        String shown = text.length() > 200 ? text.substring(0, 200) + "…" : text;
        return shown.replaceAll("\\p{Cntrl}", "?");
    }
}
