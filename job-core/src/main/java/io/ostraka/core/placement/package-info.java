/** The built-in sharding strategies: pure functions from a request to a placement. */
@NullMarked
package io.ostraka.core.placement;

import org.jspecify.annotations.NullMarked;
