/** Runs the items of script and HTTP jobs, and sends failures, alarms and heartbeats to other servers. */
@NullMarked
package io.ostraka.types;

import org.jspecify.annotations.NullMarked;
