package io.ostraka.api;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A field of a {@link JobConfiguration}: its name, type, default and accepted values. {@code JobConfiguration} declares
 * each field once. The builder, the checks, the JSON in ZooKeeper and all lists of fields use this declaration.
 * Immutable and thread-safe.
 *
 * @param <T> type of the values; null is accepted as a value only if the default is null
 */
public final class JobField<T> {
    /** Groups of fields. */
    public enum Group {
        /** Name, items, schedule and parameters of the job. */
        JOB,
        /** Placement of items on instances. */
        PLACEMENT,
        /** Limits on parallelism, duration and number of attempts. */
        LIMITS,
        /** Policies for late, overlapping, interrupted and failed fires. */
        POLICIES
    }

    private final int position;
    private final Group group;
    private final String name;
    private final Type type;
    private final @Nullable T unset;
    private boolean leftOut;
    private boolean fixed;
    private boolean rising;
    private Predicate<T> accepts = value -> true;
    private String accepted = "a value";
    private UnaryOperator<T> copy = value -> value;

    JobField(int position, Group group, String name, Type type, @Nullable T unset) {
        this.position = position;
        this.group = group;
        this.name = name;
        this.type = type;
        this.unset = unset;
    }

    /** Declares that a definition in ZooKeeper omits the field if the field has its default value. */
    JobField<T> leftOut() {
        leftOut = true;
        return this;
    }

    /** Declares that an operator cannot override the field. */
    JobField<T> fixed() {
        fixed = true;
        return this;
    }

    /** Declares that the value in force never decreases, so that no command takes back an override. */
    JobField<T> rising() {
        rising = true;
        return this;
    }

    /** Declares the accepted values. If the default is null, null is accepted as well. */
    JobField<T> accepting(String what, Predicate<T> accepting) {
        accepted = what;
        accepts = accepting;
        return this;
    }

    /** Declares how a configuration copies a mutable value, so that later changes by the caller have no effect. */
    JobField<T> copying(UnaryOperator<T> copying) {
        copy = copying;
        return this;
    }

    /** Returns the group that the field belongs to. */
    public Group group() {
        return group;
    }

    /** Returns the field's name, which is the same in Java, in ZooKeeper, in messages and in documents. */
    public String name() {
        return name;
    }

    /** Returns the type of the values: a class, or the parameterized type of a map with string values. */
    public Type type() {
        return type;
    }

    /**
     * Returns the default; null if the field has no value by default. The defaults of the job name and of the item
     * count are not valid values, so a configuration must set both.
     */
    public @Nullable T unset() {
        return unset;
    }

    /** Returns whether a definition in ZooKeeper omits the field if the field has its default value. */
    public boolean isLeftOut() {
        return leftOut;
    }

    /** Returns whether an operator can override the field while the job is registered. */
    public boolean isOverridable() {
        return !fixed;
    }

    /**
     * Returns whether the value in force never decreases. No command can take back an override of such a field, so an
     * override needs the role {@link io.ostraka.api.operations.Role#ADMIN} and raises the value by one at most.
     */
    public boolean isRising() {
        return rising;
    }

    /** Returns the index of the field's value in a configuration. */
    int position() {
        return position;
    }

    /** Returns the value; a mutable value is copied into an unmodifiable one. */
    public @Nullable T copy(@Nullable T value) {
        return value == null ? null : copy.apply(value);
    }

    /** Throws an exception if the field does not accept the value. */
    void check(String job, @Nullable T value) {
        if (value instanceof String text && !StoredText.accepts(text)) {
            throw new JobConfigurationException(job, name, text, StoredText.ACCEPTED);
        }
        if (value instanceof Map<?, ?> texts && type instanceof TextsType map) {
            texts.forEach((key, text) -> {
                if (!map.keys().isInstance(key)
                        || !StoredText.accepts(key.toString())
                        || !(text instanceof String stored && StoredText.accepts(stored))) {
                    throw new JobConfigurationException(
                            job,
                            name,
                            key + "=" + text,
                            "a key of type " + map.keys().getSimpleName() + " and a " + StoredText.ACCEPTED);
                }
            });
        }
        if (value == null ? unset != null : !accepts.test(value)) {
            throw new JobConfigurationException(job, name, value, accepted);
        }
    }

    /** Returns the size of the texts in a value, as they are stored, in bytes; 0 if the value is no text. */
    static long textBytes(@Nullable Object value) {
        if (value instanceof Map<?, ?> texts) {
            return texts.entrySet().stream()
                    .mapToLong(entry -> 2
                            + StoredText.bytes(entry.getKey().toString())
                            + StoredText.bytes((String) entry.getValue()))
                    .sum();
        }
        return value instanceof String text ? StoredText.bytes(text) : 0;
    }

    @Override
    public String toString() {
        return name;
    }

    /** The parameterized type {@code Map<K, String>}, where {@code keys} is the class K. */
    record TextsType(Class<?> keys) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return new Type[] {keys, String.class};
        }

        @Override
        public Type getRawType() {
            return Map.class;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return null;
        }
    }
}
