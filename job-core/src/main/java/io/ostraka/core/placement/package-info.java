/** The sharding strategies of this library. Each is a function from a request to a placement, without other inputs. */
@NullMarked
package io.ostraka.core.placement;

import org.jspecify.annotations.NullMarked;
