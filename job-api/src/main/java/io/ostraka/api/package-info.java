/** What a user's code names: jobs, their configuration, their context, and the errors they may meet. */
@NullMarked
package io.ostraka.api;

import org.jspecify.annotations.NullMarked;
