package io.ostraka.api;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A field of a {@link JobConfiguration}. Each is declared once, there; the builder, the checks, the form in ZooKeeper and lists
 * of all fields follow from it. Immutable and thread-safe.
 *
 * @param <T> the type of its values; null only where that is the default
 */
public final class JobField<T> {
    /** Groups of fields. */
    public enum Group {
        /** Name, items, schedule and parameters of the job. */
        JOB,
        /** Which instances have its items. */
        PLACEMENT,
        /** How much, how long and how often. */
        LIMITS,
        /** Treatment of late, overlapping, interrupted and failed fires. */
        POLICIES
    }

    private final int position;
    private final Group group;
    private final String name;
    private final Type type;
    private final @Nullable T unset;
    private boolean leftOut;
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

    /** As part of the declaration: a definition in ZooKeeper leaves its default out. */
    JobField<T> leftOut() {
        leftOut = true;
        return this;
    }

    /** As part of the declaration: other values are refused; null, where it is the default, is accepted anyway. */
    JobField<T> accepting(String what, Predicate<T> accepting) {
        accepted = what;
        accepts = accepting;
        return this;
    }

    /** As part of the declaration: what a configuration keeps of a value that others could change. */
    JobField<T> copying(UnaryOperator<T> copying) {
        copy = copying;
        return this;
    }

    /** Returns what the field is about. */
    public Group group() {
        return group;
    }

    /** Returns its name: the same in Java, in ZooKeeper, in errors and in documents. */
    public String name() {
        return name;
    }

    /** Returns the type of its values: a class, or a map of texts by keys of a class. */
    public Type type() {
        return type;
    }

    /** Returns its default; null if that is no value. Name and item count have none that is accepted. */
    public @Nullable T unset() {
        return unset;
    }

    /** Tells whether a definition in ZooKeeper leaves the field out while it has its default. */
    public boolean isLeftOut() {
        return leftOut;
    }

    /** Where its value stands among a configuration's. */
    int position() {
        return position;
    }

    @Nullable T copy(@Nullable T value) {
        return value == null ? null : copy.apply(value);
    }

    /** Refuses what it doesn't accept. */
    void check(String job, @Nullable T value) {
        if (value == null ? unset != null : !accepts.test(value)) {
            throw new JobConfigurationException(job, name, value, accepted);
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** The type of a map of texts. */
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
