/** HTTP requests of items, of the webhooks and of heartbeats, and the rules for their targets. */
@NullMarked
package io.ostraka.core.run.http;

import org.jspecify.annotations.NullMarked;
