/**
 * A real ZooKeeper ensemble with server processes that can be disturbed, and the committed transactions from its logs.
 */
@NullMarked
package io.ostraka.faults.ensemble;

import org.jspecify.annotations.NullMarked;
