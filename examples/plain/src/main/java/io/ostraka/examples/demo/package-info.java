/**
 * The demo: three processes settle 20,000 orders in a database. One process is killed; another is stopped, and
 * continues too late. Finally the database shows whether every order was settled exactly once. {@code bin/demo} runs
 * it.
 */
@NullMarked
package io.ostraka.examples.demo;

import org.jspecify.annotations.NullMarked;
