/** The whole story of one trigger, and the one place where the other packages are wired. */
@NullMarked
package io.ostraka.core.facade;

import org.jspecify.annotations.NullMarked;
