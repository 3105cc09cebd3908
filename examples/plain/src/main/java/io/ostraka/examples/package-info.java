/** Runnable example programs, each short enough for one screen: {@code bin/example} lists and runs them. */
@NullMarked
package io.ostraka.examples;

import org.jspecify.annotations.NullMarked;
