/** Requests to other servers, for items whose work is one and for failures that are to be told: where they may go, and no more. */
@NullMarked
package io.ostraka.core.run.http;

import org.jspecify.annotations.NullMarked;
