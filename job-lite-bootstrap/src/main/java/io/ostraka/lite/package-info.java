/** What an application instantiates: the registry and the bootstraps of its jobs. */
@NullMarked
package io.ostraka.lite;

import org.jspecify.annotations.NullMarked;
