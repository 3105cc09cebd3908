/** Measures the requests to ZooKeeper and the time of jobs, beside other schedulers in the same run. */
@NullMarked
package io.ostraka.bench;

import org.jspecify.annotations.NullMarked;
