/** HTTP requests with bounds and signatures, and the rules for their targets. Only for modules of this library. */
@NullMarked
package io.ostraka.http;

import org.jspecify.annotations.NullMarked;
