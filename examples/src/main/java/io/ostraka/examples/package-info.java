/** Runnable example programs, one screen each: {@code bin/example} lists and runs them. */
@NullMarked
package io.ostraka.examples;

import org.jspecify.annotations.NullMarked;
