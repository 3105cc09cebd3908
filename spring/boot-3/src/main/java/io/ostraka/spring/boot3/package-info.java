/** Adapts {@code ostraka-job-spring} to Spring Boot 3: the classes whose packages differ between the lines. */
@NullMarked
package io.ostraka.spring.boot3;

import org.jspecify.annotations.NullMarked;
