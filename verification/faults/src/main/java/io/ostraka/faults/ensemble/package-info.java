/**
 * Runs a real ZooKeeper ensemble whose servers can be disturbed, and reads the committed transactions from its logs.
 */
@NullMarked
package io.ostraka.faults.ensemble;

import org.jspecify.annotations.NullMarked;
