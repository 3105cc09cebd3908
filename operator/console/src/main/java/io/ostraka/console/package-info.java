/** All operations as requests and responses, independent of the transport. */
@NullMarked
package io.ostraka.console;

import org.jspecify.annotations.NullMarked;
