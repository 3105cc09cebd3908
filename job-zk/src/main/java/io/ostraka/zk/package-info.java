/** Coordination through ZooKeeper: the only place that knows Curator or ZooKeeper. */
@NullMarked
package io.ostraka.zk;

import org.jspecify.annotations.NullMarked;
