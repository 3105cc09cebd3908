/** The types that applications use: jobs, their configuration, their context and their exceptions. */
@NullMarked
package io.ostraka.api;

import org.jspecify.annotations.NullMarked;
