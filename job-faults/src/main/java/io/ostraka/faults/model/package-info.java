/**
 * Six models of the protocol with an explicit-state checker: the fires of one item, a change of the item count,
 * once-listeners, backfills, delayed triggers, and overrides whose fields end by themselves. Each step is a method
 * named after the protocol's term.
 */
@NullMarked
package io.ostraka.faults.model;

import org.jspecify.annotations.NullMarked;
