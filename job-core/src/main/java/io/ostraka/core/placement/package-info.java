/** The strategies that are built in: which instance runs what. Pure: a request in, an answer out. */
@NullMarked
package io.ostraka.core.placement;

import org.jspecify.annotations.NullMarked;
