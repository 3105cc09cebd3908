/** The types that applications use: jobs, their configuration, their context, listeners, health and exceptions. */
@NullMarked
package io.ostraka.api;

import org.jspecify.annotations.NullMarked;
