/** HTTP requests of items and of the webhook, and the rules for their targets. */
@NullMarked
package io.ostraka.core.run.http;

import org.jspecify.annotations.NullMarked;
