/**
 * The protocol as two models that are checked state by state: the life of one item's fires, and a change of the item
 * count. They are the protocol's shortest exact description; each step is a method named after the protocol's word.
 */
@NullMarked
package io.ostraka.faults.model;

import org.jspecify.annotations.NullMarked;
