-- Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
--
-- A shop and its events on SQLite, small and full: what analysts read, and what
-- attacks would change.

CREATE TABLE category (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES category, name TEXT NOT NULL);
CREATE TABLE customer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, country TEXT NOT NULL,
  profile TEXT NOT NULL DEFAULT '{}', born TEXT, created_at TEXT NOT NULL, deleted_at TEXT);
CREATE TABLE product (
  id INTEGER PRIMARY KEY, sku TEXT NOT NULL, name TEXT NOT NULL, category INTEGER REFERENCES category,
  price REAL NOT NULL, attributes TEXT, picture BLOB);
CREATE TABLE "order" (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, status TEXT NOT NULL,
  placed_at TEXT NOT NULL, shipped_at TEXT, total REAL NOT NULL, note TEXT);
CREATE TABLE order_item (
  order_id INTEGER NOT NULL, line INTEGER NOT NULL, product_id INTEGER NOT NULL, quantity INTEGER NOT NULL,
  unit_price REAL NOT NULL, PRIMARY KEY (order_id, line)) WITHOUT ROWID;
CREATE TABLE event (id INTEGER PRIMARY KEY, customer_id INTEGER, kind TEXT NOT NULL, at INTEGER NOT NULL,
  payload TEXT NOT NULL);
CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT NOT NULL, manager INTEGER, salary REAL);
CREATE TABLE line_price (a INTEGER, b INTEGER, product INTEGER GENERATED ALWAYS AS (a * b) VIRTUAL) STRICT;

WITH n (i) AS (VALUES (1), (2), (3), (4), (5))
  INSERT INTO category SELECT i, nullif(i / 2, 0), 'category ' || i FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40)
  INSERT INTO customer SELECT i, 'Customer ' || i, 'c' || i || '@example.com',
    substr('DEFRITUS', 1 + 2 * (i % 4), 2),
    json_object('plan', iif(i % 2, 'free', 'pro'), 'seats', i, 'tags', json_array('tag' || (i % 3), 'all')),
    date('1970-01-01', '+' || (i * 200) || ' days'), datetime('2025-01-01 08:00', '+' || (i * 3) || ' days'),
    iif(i % 10 = 0, '2025-09-01 00:00:00', NULL) FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20)
  INSERT INTO product SELECT i, printf('SKU-%04d', i), 'Product ' || i, 2 + i % 4, 5 + i * 1.25,
    json_object('color', iif(i % 2, 'red', 'blue'), 'sizes', json_array(i, i + 1)), x'00ff10' FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
  INSERT INTO "order" SELECT i, 1 + i % 40, iif(i % 4 = 0, 'new', iif(i % 4 = 1, 'paid', iif(i % 4 = 2, 'shipped', 'returned'))),
    datetime('2025-02-01 10:00', '+' || (i * 17) || ' hours'),
    iif(i % 4 >= 2, datetime('2025-02-03 10:00', '+' || (i * 17) || ' hours'), NULL),
    10 + (i * 37) % 200, iif(i % 7 = 0, 'please update the address; then drop off', NULL) FROM n;
INSERT INTO order_item SELECT o.id, l.column1, 1 + (o.id * 3 + l.column1) % 20, 1 + l.column1 % 3, 5 + l.column1
  FROM "order" o, (VALUES (1), (2), (3)) l;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)
  INSERT INTO event SELECT i, iif(i % 5, 1 + i % 40, NULL),
    iif(i % 4 = 0, 'view', iif(i % 4 = 1, 'cart', iif(i % 4 = 2, 'buy', 'leave'))), 1740787200 + i * 660,
    json_object('page', '/p/' || (i % 20), 'ms', i * 7 % 900) FROM n;
INSERT INTO employee VALUES (1, 'Ada', NULL, 9000), (2, 'Ben', 1, 7000), (3, 'Cem', 1, 7000), (4, 'Dee', 2, 5000);
INSERT INTO line_price (a, b) VALUES (1, 2), (3, 4);

CREATE INDEX order_placed ON "order" (placed_at);
CREATE INDEX customer_plan ON customer (json_extract(profile, '$.plan'));
CREATE VIEW order_total AS SELECT o.id, o.customer_id, sum(i.quantity * i.unit_price) AS total
  FROM "order" o JOIN order_item i ON i.order_id = o.id GROUP BY o.id;
CREATE VIEW plan AS SELECT id, json_extract(profile, '$.plan') AS plan FROM customer;
CREATE TRIGGER order_gone AFTER DELETE ON "order" BEGIN DELETE FROM order_item WHERE order_id = old.id; END;
CREATE VIRTUAL TABLE review USING fts5 (body, rating UNINDEXED);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
  INSERT INTO review SELECT iif(i % 2, 'broke after a week of running', 'works well, would buy again'), 1 + i % 5 FROM n;
CREATE VIRTUAL TABLE old_review USING fts4 (body);
INSERT INTO old_review VALUES ('an old word'), ('another old word');
CREATE VIRTUAL TABLE place USING rtree (id, west, east, south, north);
INSERT INTO place VALUES (1, 0, 1, 0, 1), (2, 5, 6, 5, 6);
-- What hides an effect behind a plain name.
CREATE VIEW looks_harmless AS SELECT load_extension('{drop}/evil.so') AS a;
CREATE VIEW reads_pages AS SELECT * FROM sqlite_dbpage;
-- What nobody should see other than as rows.
CREATE TABLE vault (body TEXT);
INSERT INTO vault VALUES ('{canary}');
