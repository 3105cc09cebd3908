package io.ostraka.faults.history;

/** An item of a job. */
public record Item(String job, String key) {
    String record() {
        return "/jobs/" + job + "/sharding/" + key;
    }

    String running() {
        return record() + "/running";
    }

    @Override
    public String toString() {
        return job + "/" + key;
    }
}
