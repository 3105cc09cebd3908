/** The node store on ZooKeeper. The engine uses the classes of ZooKeeper and Curator only through this package. */
@NullMarked
package io.ostraka.zk;

import org.jspecify.annotations.NullMarked;
