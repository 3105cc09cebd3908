/**
 * Measures the requests that jobs send to ZooKeeper, and the delays of their fires. Other schedulers are measured in
 * the same run for comparison.
 */
@NullMarked
package io.ostraka.bench;

import org.jspecify.annotations.NullMarked;
