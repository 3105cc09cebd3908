/**
 * The decisions of the engine, written as pure functions from values to values. They use no clock, log, thread or
 * store.
 */
@NullMarked
package io.ostraka.core.decide;

import org.jspecify.annotations.NullMarked;
