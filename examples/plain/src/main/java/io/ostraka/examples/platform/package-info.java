/** A small platform that provides configuration to applications over HTTP: a reference for teams that build their own. */
@NullMarked
package io.ostraka.examples.platform;

import org.jspecify.annotations.NullMarked;
