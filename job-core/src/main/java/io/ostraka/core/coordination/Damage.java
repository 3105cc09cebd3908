package io.ostraka.core.coordination;

/**
 * What is wrong with a node that can't be read.
 *
 * @param text which node, and why
 * @param version of its data, by which it can be replaced
 * @param newer whether a newer version of this library may have written it: it is none of ours to replace then
 */
public record Damage(String text, int version, boolean newer) {
    /** Returns a value as what to replace the node from. */
    public <T> Versioned<T> replacedBy(Versioned<T> value) {
        return new Versioned<>(value.value(), version, value.czxid(), value.mzxid(), value.modified(), value.unknown());
    }
}
