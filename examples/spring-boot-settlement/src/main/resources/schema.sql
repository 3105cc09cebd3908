CREATE TABLE IF NOT EXISTS ostraka_fence (
  job        VARCHAR(128) NOT NULL,
  item       VARCHAR(255) NOT NULL,
  token      BIGINT       NOT NULL,
  generation BIGINT       NOT NULL,
  PRIMARY KEY (job, item)
);

CREATE TABLE IF NOT EXISTS orders (
  id      BIGINT  PRIMARY KEY,
  cents   BIGINT  NOT NULL,
  settled BOOLEAN NOT NULL
);

-- Finds the pending orders without a scan of all orders.
CREATE INDEX IF NOT EXISTS orders_pending ON orders (settled, id);

CREATE TABLE IF NOT EXISTS settlement (
  order_id BIGINT PRIMARY KEY REFERENCES orders (id),
  cents    BIGINT NOT NULL
);
