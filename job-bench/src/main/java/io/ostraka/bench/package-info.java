/** What jobs cost: requests to ZooKeeper, and time, beside other schedulers in the same run. */
@NullMarked
package io.ostraka.bench;

import org.jspecify.annotations.NullMarked;
