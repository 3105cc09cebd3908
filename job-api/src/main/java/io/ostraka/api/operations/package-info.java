/** Interface for operators: views of a namespace, and commands that change it. */
@NullMarked
package io.ostraka.api.operations;

import org.jspecify.annotations.NullMarked;
