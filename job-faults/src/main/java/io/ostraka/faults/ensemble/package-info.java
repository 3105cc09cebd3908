/** A real ensemble of ZooKeeper, server processes that can be hurt, and what its own logs say was committed. */
@NullMarked
package io.ostraka.faults.ensemble;

import org.jspecify.annotations.NullMarked;
