/** Immutable values that decisions use and that the other packages exchange. */
@NullMarked
package io.ostraka.core.model;

import org.jspecify.annotations.NullMarked;
