/** Configuration that an application fetches from a platform, over HTTP. */
@NullMarked
package io.ostraka.remote;

import org.jspecify.annotations.NullMarked;
