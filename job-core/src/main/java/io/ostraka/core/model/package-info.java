/** The immutable values that decisions are made from and that the other packages pass around. */
@NullMarked
package io.ostraka.core.model;

import org.jspecify.annotations.NullMarked;
