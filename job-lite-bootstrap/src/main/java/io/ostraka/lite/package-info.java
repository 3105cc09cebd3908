/** Entry point for applications: connects to ZooKeeper and hosts jobs in this process. */
@NullMarked
package io.ostraka.lite;

import org.jspecify.annotations.NullMarked;
