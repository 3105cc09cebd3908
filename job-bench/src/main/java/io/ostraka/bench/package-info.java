/**
 * Measures the requests that jobs send to ZooKeeper and the times of their fires, in comparison with other schedulers
 * in the same run.
 */
@NullMarked
package io.ostraka.bench;

import org.jspecify.annotations.NullMarked;
