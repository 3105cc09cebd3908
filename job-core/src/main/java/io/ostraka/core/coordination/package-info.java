/** The port to the service that instances coordinate through, in the words of the domain. */
@NullMarked
package io.ostraka.core.coordination;

import org.jspecify.annotations.NullMarked;
