/**
 * Models of the protocol and an explicit-state checker for them. The models cover the fires of one item, changes of the
 * item count, once-listeners, backfills, delayed triggers, overrides whose fields end by themselves, alarms, and the
 * history of an item. Each step is a method named after the protocol's term.
 */
@NullMarked
package io.ostraka.faults.model;

import org.jspecify.annotations.NullMarked;
