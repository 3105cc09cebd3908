/** Adapts {@code ostraka-job-spring} to Spring Boot 4: the classes whose packages differ between the lines. */
@NullMarked
package io.ostraka.spring.boot4;

import org.jspecify.annotations.NullMarked;
