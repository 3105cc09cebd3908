/** Views and commands for operators. They need only the coordination service, so an observer can offer them too. */
@NullMarked
package io.ostraka.operations;

import org.jspecify.annotations.NullMarked;
