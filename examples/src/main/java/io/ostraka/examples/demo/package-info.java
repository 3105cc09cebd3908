/**
 * The demonstration: three processes settle 20,000 orders in a database; one is killed, one is stopped and wakes up too
 * late; in the end the database says whether every order was settled exactly once. {@code bin/demo} runs it.
 */
@NullMarked
package io.ostraka.examples.demo;

import org.jspecify.annotations.NullMarked;
