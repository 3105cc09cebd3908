/** Lets an application fetch the configuration of its jobs from a central platform over HTTP. */
@NullMarked
package io.ostraka.remote;

import org.jspecify.annotations.NullMarked;
