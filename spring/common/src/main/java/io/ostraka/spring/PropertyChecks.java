package io.ostraka.spring;

import io.ostraka.api.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes the values of properties to setters. If a value is not accepted, the exception names the property with its
 * file and line.
 *
 * @param places files and lines of the properties
 */
record PropertyChecks(PropertyPlaces places) {
    /** Passes a property to the setter if the property is set. */
    <T> void set(String group, String name, @Nullable T value, Consumer<T> setter) {
        if (value != null) {
            accepted(group, name, () -> {
                setter.accept(value);
                return value;
            });
        }
    }

    /** Returns the result of a call that uses the value of a property. */
    <T> T accepted(String group, String name, Supplier<T> attempt) {
        try {
            return attempt.get();
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            throw new InvalidPropertyException("property " + places.of(group, name) + ": " + e.getMessage(), e);
        }
    }

    /** Returns the value of a property that is required because other properties of its group are set. */
    <T> T required(String group, String name, @Nullable T value) {
        return required(group, name, value, "values for all of " + group);
    }

    /** Returns the value of a required property. Messages do not show the value, because it may be a secret. */
    <T> T required(String group, String name, @Nullable T value, String accepted) {
        if (value == null || value.toString().isBlank()) {
            throw new InvalidPropertyException(
                    "property " + places.of(group, name) + " is missing or blank; accepted: " + accepted, null);
        }
        return value;
    }

    /** Returns a secret that Spring has already read. */
    static Secret secret(String value) {
        return value.toCharArray()::clone;
    }

    /** Parses a URI. The exception does not contain the text, because a URI may contain a secret. */
    static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "this is not a URI: " + e.getReason() + "; accepted: http://HOST/… or https://HOST/…");
        }
    }
}
