/** The coordination store on ZooKeeper. No other package uses Curator or ZooKeeper classes. */
@NullMarked
package io.ostraka.zk;

import org.jspecify.annotations.NullMarked;
