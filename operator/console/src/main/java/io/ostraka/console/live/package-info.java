/** Live events of a namespace, as a stream for each client. Independent of the transport. */
@NullMarked
package io.ostraka.console.live;

import org.jspecify.annotations.NullMarked;
