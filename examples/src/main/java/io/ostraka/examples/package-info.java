/** Runnable programs, one screen long each: {@code bin/example} lists and runs them. */
@NullMarked
package io.ostraka.examples;

import org.jspecify.annotations.NullMarked;
