/** The operator's views and commands, on the coordination service alone: they serve an instance and an observer. */
@NullMarked
package io.ostraka.core.operations;

import org.jspecify.annotations.NullMarked;
