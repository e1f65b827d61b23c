-- Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
--
-- A shop and its events on DuckDB, small and full: what analysts read, and what attacks
-- would change.

CREATE TYPE order_status AS ENUM ('new', 'paid', 'shipped', 'returned');
CREATE TABLE category (id INTEGER PRIMARY KEY, parent INTEGER, name VARCHAR NOT NULL);
CREATE TABLE customer (
  id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, email VARCHAR, country VARCHAR NOT NULL,
  profile JSON NOT NULL DEFAULT '{}', born DATE, created_at TIMESTAMP NOT NULL, deleted_at TIMESTAMP);
CREATE TABLE product (
  id INTEGER PRIMARY KEY, sku VARCHAR NOT NULL, name VARCHAR NOT NULL, category INTEGER,
  price DECIMAL(10, 2) NOT NULL, attributes STRUCT(color VARCHAR, sizes INTEGER[]), picture BLOB);
CREATE TABLE "order" (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, status order_status NOT NULL,
  placed_at TIMESTAMP NOT NULL, shipped_at TIMESTAMP, total DECIMAL(12, 2) NOT NULL, note VARCHAR);
CREATE TABLE order_item (
  order_id INTEGER NOT NULL, line INTEGER NOT NULL, product_id INTEGER NOT NULL, quantity INTEGER NOT NULL,
  unit_price DECIMAL(10, 2) NOT NULL, PRIMARY KEY (order_id, line));
CREATE TABLE event (
  id BIGINT, customer_id INTEGER, kind VARCHAR NOT NULL, seen_at TIMESTAMPTZ NOT NULL, payload JSON NOT NULL,
  tags VARCHAR[], counts MAP(VARCHAR, INTEGER));
CREATE TABLE employee (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, manager INTEGER, salary DECIMAL(10, 2));
CREATE TABLE quote (symbol VARCHAR, quoted_at TIMESTAMP, price DOUBLE);
CREATE TABLE holding (symbol VARCHAR, held_at TIMESTAMP, amount INTEGER);
CREATE TABLE city (country VARCHAR, name VARCHAR, year INTEGER, population BIGINT);

INSERT INTO category SELECT i, nullif(i // 2, 0), 'category ' || i FROM range(1, 6) r (i);
INSERT INTO customer SELECT i, 'Customer ' || i, 'c' || i || '@example.com',
  ['DE', 'FR', 'IT', 'US'][1 + i % 4],
  json_object('plan', if(i % 2 = 1, 'free', 'pro'), 'seats', i, 'tags', ['tag' || (i % 3), 'all']),
  DATE '1970-01-01' + (i * 200)::INTEGER, TIMESTAMP '2025-01-01 08:00' + to_days((i * 3)::INTEGER),
  if(i % 10 = 0, TIMESTAMP '2025-09-01', NULL) FROM range(1, 41) r (i);
INSERT INTO product SELECT i, printf('SKU-%04d', i), 'Product ' || i, 2 + i % 4, 5 + i * 1.25,
  {'color': if(i % 2 = 1, 'red', 'blue'), 'sizes': [i, i + 1]}, '\x00\xFF\x10'::BLOB FROM range(1, 21) r (i);
INSERT INTO "order" SELECT i, 1 + i % 40, ['new', 'paid', 'shipped', 'returned'][1 + i % 4],
  TIMESTAMP '2025-02-01 10:00' + to_hours(i * 17),
  if(i % 4 >= 2, TIMESTAMP '2025-02-03 10:00' + to_hours(i * 17), NULL), 10 + (i * 37) % 200,
  if(i % 7 = 0, 'please update the address; then drop off', NULL) FROM range(1, 201) r (i);
INSERT INTO order_item SELECT o.id, l, 1 + (o.id * 3 + l) % 20, 1 + l % 3, 5 + l
  FROM "order" o, range(1, 4) r (l);
INSERT INTO event SELECT i, if(i % 5 = 0, NULL, 1 + i % 40), ['view', 'cart', 'buy', 'leave'][1 + i % 4],
  TIMESTAMPTZ '2025-03-01 00:00:00+00' + to_minutes(i * 11), json_object('page', '/p/' || (i % 20), 'ms', i * 7 % 900),
  ['tag' || (i % 3), 'all'], map {'clicks': (i % 9)::INTEGER, 'keys': (i % 4)::INTEGER} FROM range(1, 501) r (i);
INSERT INTO employee VALUES (1, 'Ada', NULL, 9000), (2, 'Ben', 1, 7000), (3, 'Cem', 1, 7000), (4, 'Dee', 2, 5000);
INSERT INTO quote SELECT ['AA', 'BB'][1 + i % 2], TIMESTAMP '2025-01-01 09:00' + to_minutes(i * 5), 100 + i
  FROM range(0, 50) r (i);
INSERT INTO holding SELECT ['AA', 'BB'][1 + i % 2], TIMESTAMP '2025-01-01 09:02' + to_minutes(i * 30), 10 * i
  FROM range(1, 7) r (i);
INSERT INTO city VALUES ('NL', 'Amsterdam', 2000, 1005), ('NL', 'Amsterdam', 2010, 1065), ('NL', 'Amsterdam', 2020, 1158),
  ('US', 'Seattle', 2000, 564), ('US', 'Seattle', 2010, 608), ('US', 'Seattle', 2020, 738);

CREATE INDEX order_placed ON "order" (placed_at);
CREATE SEQUENCE number START 7;
CREATE VIEW order_total AS SELECT o.id, o.customer_id, sum(i.quantity * i.unit_price) AS total
  FROM "order" o JOIN order_item i ON i.order_id = o.id GROUP BY ALL;
CREATE VIEW plan AS SELECT id, profile->>'plan' AS plan FROM customer;
CREATE MACRO net(gross) AS round(gross / 1.19, 2);
CREATE MACRO latest(n) AS TABLE SELECT * FROM "order" ORDER BY placed_at DESC LIMIT n;
CREATE SCHEMA mart;
CREATE TABLE mart.daily AS SELECT placed_at::DATE AS day, count(*) AS orders, sum(total) AS revenue
  FROM "order" GROUP BY ALL;
COMMENT ON TABLE customer IS 'who buys';
-- What hides an effect behind a plain name.
CREATE MACRO looks_harmless() AS nextval('number');
CREATE VIEW advances AS SELECT nextval('number') AS a;
CREATE VIEW shows_secret AS SELECT * FROM read_text('{secret}');
CREATE MACRO reads_secret() AS TABLE SELECT * FROM read_text('{secret}');
CREATE MACRO runs_text(t) AS TABLE SELECT * FROM query(t);
-- What nobody should see other than as rows.
CREATE TABLE vault (body VARCHAR);
INSERT INTO vault VALUES ('{canary}');
