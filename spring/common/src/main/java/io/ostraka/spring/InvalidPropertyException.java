package io.ostraka.spring;

import io.ostraka.api.OstrakaException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at the start of the application if a property below {@code ostraka} is not accepted. The message names the
 * property, its file and line if known, the refused value and the accepted values.
 */
public final class InvalidPropertyException extends OstrakaException {
    private static final long serialVersionUID = 1L;

    InvalidPropertyException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns the exception for a value of one property. */
    static InvalidPropertyException of(
            String place, @Nullable Object value, String accepted, @Nullable Throwable cause) {
        return new InvalidPropertyException("property " + place + " is '" + value + "'; accepted: " + accepted, cause);
    }
}
