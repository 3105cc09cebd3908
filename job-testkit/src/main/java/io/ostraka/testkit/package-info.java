/** Coordination in memory and time by hand, for tests of jobs and of coordination adapters. */
@NullMarked
package io.ostraka.testkit;

import org.jspecify.annotations.NullMarked;
