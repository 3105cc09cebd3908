package io.ostraka.bench;

import java.util.List;

/**
 * The outcome of one scenario in one run. Each outcome is stored as a line of JSON, so that a report can cover several
 * runs.
 *
 * @param title title of the scenario; a later outcome with the same title replaces this outcome
 * @param at time at which the run began
 * @param conditions description of the conditions of the run
 * @param results results of all rounds
 * @param bounds bounds, with the measured figures
 */
record Outcome(String title, String at, String conditions, Results results, List<Bound> bounds) {}
