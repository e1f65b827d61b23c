-- Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
--
-- A shop and its events on PostgreSQL, small and full: what analysts read, and what
-- attacks would change. `agent` is the role that a careless operator gives: it may
-- write every table, make objects and run extensions. `reader` only reads.

CREATE TYPE order_status AS ENUM ('new', 'paid', 'shipped', 'returned');
CREATE TABLE category (id int PRIMARY KEY, parent int REFERENCES category, name text NOT NULL);
CREATE TABLE customer (
  id bigint PRIMARY KEY, name text NOT NULL, email text UNIQUE, country char(2) NOT NULL,
  tags text[] NOT NULL DEFAULT '{}', profile jsonb NOT NULL DEFAULT '{}', born date,
  created_at timestamptz NOT NULL, deleted_at timestamptz);
CREATE TABLE product (
  id int PRIMARY KEY, sku varchar(16) NOT NULL, name text NOT NULL, category int REFERENCES category,
  price numeric(10,2) NOT NULL, weight real, attributes jsonb, description text);
CREATE TABLE "order" (
  id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customer, status order_status NOT NULL,
  placed_at timestamptz NOT NULL, shipped_at timestamptz, total numeric(12,2) NOT NULL, note text);
CREATE TABLE order_item (
  order_id bigint NOT NULL REFERENCES "order", line int NOT NULL, product_id int NOT NULL REFERENCES product,
  quantity int NOT NULL, unit_price numeric(10,2) NOT NULL, PRIMARY KEY (order_id, line));
CREATE TABLE event (
  id bigint PRIMARY KEY, customer_id bigint, kind text NOT NULL, at timestamptz NOT NULL, session uuid,
  ip inet, payload jsonb NOT NULL) ;
CREATE TABLE employee (id int PRIMARY KEY, name text NOT NULL, manager int REFERENCES employee, salary numeric);
CREATE TABLE price_history (product_id int, price numeric(10,2), valid daterange);
CREATE TABLE review (id int PRIMARY KEY, product_id int, rating int, body text);
CREATE TABLE measure (day date, value float8) PARTITION BY RANGE (day);
CREATE TABLE measure_2025 PARTITION OF measure FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
CREATE SEQUENCE ticket;

INSERT INTO category VALUES (1, NULL, 'all'), (2, 1, 'books'), (3, 1, 'tools'), (4, 2, 'novels'), (5, 3, 'saws');
INSERT INTO customer
  SELECT i, 'Customer ' || i, 'c' || i || '@example.com', (ARRAY['DE','FR','IT','US'])[1 + i % 4],
         ARRAY['tag' || i % 3, 'all'], jsonb_build_object('plan', CASE WHEN i % 2 = 0 THEN 'pro' ELSE 'free' END,
         'seats', i, 'address', jsonb_build_object('city', 'City ' || i % 5)),
         date '1970-01-01' + i * 200, timestamptz '2025-01-01 08:00+00' + i * interval '3 days',
         CASE WHEN i % 10 = 0 THEN timestamptz '2025-09-01+00' END
  FROM generate_series(1, 40) i;
INSERT INTO product
  SELECT i, 'SKU-' || lpad(i::text, 4, '0'), 'Product ' || i, 2 + i % 4, 5 + i * 1.25, i * 0.1,
         jsonb_build_object('color', (ARRAY['red','green','blue'])[1 + i % 3], 'sizes', jsonb_build_array(i, i + 1)),
         'A sturdy product number ' || i || ' for every day'
  FROM generate_series(1, 20) i;
INSERT INTO "order"
  SELECT i, 1 + i % 40, (ARRAY['new','paid','shipped','returned'])[1 + i % 4]::order_status,
         timestamptz '2025-02-01 10:00+00' + i * interval '17 hours',
         CASE WHEN i % 4 >= 2 THEN timestamptz '2025-02-03 10:00+00' + i * interval '17 hours' END,
         10 + (i * 37) % 200, CASE WHEN i % 7 = 0 THEN 'please update the address; then drop off' END
  FROM generate_series(1, 200) i;
INSERT INTO order_item
  SELECT o.id, l, 1 + (o.id * 3 + l)::int % 20, 1 + l % 3, 5 + l FROM "order" o, generate_series(1, 3) l;
INSERT INTO event
  SELECT i, CASE WHEN i % 5 > 0 THEN 1 + i % 40 END, (ARRAY['view','cart','buy','leave'])[1 + i % 4],
         timestamptz '2025-03-01+00' + i * interval '11 minutes', md5('s' || i / 10)::uuid,
         ('10.0.' || i % 4 || '.' || i % 250)::inet, jsonb_build_object('page', '/p/' || i % 20, 'ms', i * 7 % 900)
  FROM generate_series(1, 500) i;
INSERT INTO employee VALUES (1, 'Ada', NULL, 9000), (2, 'Ben', 1, 7000), (3, 'Cem', 1, 7000), (4, 'Dee', 2, 5000);
INSERT INTO price_history SELECT i, 4 + i, daterange(date '2025-01-01', date '2025-06-01') FROM generate_series(1, 20) i;
INSERT INTO price_history SELECT i, 5 + i, daterange(date '2025-06-01', NULL) FROM generate_series(1, 20) i;
INSERT INTO review SELECT i, 1 + i % 20, 1 + i % 5, CASE WHEN i % 2 = 0 THEN 'works well, would buy again'
  ELSE 'broke after a week of running' END FROM generate_series(1, 60) i;
INSERT INTO measure SELECT date '2025-01-01' + i, sin(i) FROM generate_series(0, 60) i;
INSERT INTO counter VALUES (1, 0);

CREATE INDEX order_placed ON "order" (placed_at);
CREATE INDEX review_words ON review USING gin (to_tsvector('english', body));
CREATE VIEW order_total AS
  SELECT o.id, o.customer_id, sum(i.quantity * i.unit_price) AS total
  FROM "order" o JOIN order_item i ON i.order_id = o.id GROUP BY o.id;
CREATE MATERIALIZED VIEW monthly AS
  SELECT date_trunc('month', placed_at AT TIME ZONE 'UTC') AS month, count(*) AS orders, sum(total) AS total
  FROM "order" GROUP BY 1;
CREATE FUNCTION net_price(price numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT round(price / 1.19, 2)';

-- What hides an effect behind a plain name.
CREATE FUNCTION bump() RETURNS int LANGUAGE sql VOLATILE AS 'UPDATE public.counter SET n = n + 1 RETURNING n';
CREATE FUNCTION quiet_bump(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN PERFORM public.bump(); RETURN $1; END';
CREATE FUNCTION owner_bump(int) RETURNS int LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER AS
  'BEGIN PERFORM public.bump(); RETURN $1; END';
CREATE FUNCTION bump_of(counter) RETURNS int LANGUAGE plpgsql VOLATILE AS
  'BEGIN UPDATE public.counter SET n = n + 1; RETURN $1.n; END';
CREATE PROCEDURE empty_the_shop() LANGUAGE sql AS 'DELETE FROM event';
CREATE VIEW looks_harmless AS SELECT bump() AS a;
CREATE DOMAIN positive AS int CHECK (quiet_bump(VALUE) > 0);
CREATE FUNCTION plus_and_bump(int, int) RETURNS int LANGUAGE plpgsql AS
  'BEGIN UPDATE public.counter SET n = n + 1; RETURN $1 + $2; END';
CREATE OPERATOR <+> (LEFTARG = int, RIGHTARG = int, FUNCTION = plus_and_bump);
CREATE FUNCTION quote_nullable(varchar) RETURNS text LANGUAGE plpgsql AS
  'BEGIN UPDATE public.counter SET n = n + 1; RETURN $1; END';
CREATE TABLE guarded (id int, body text);
INSERT INTO guarded VALUES (1, 'a');
CREATE POLICY bumps ON guarded USING (quiet_bump(id) > 0);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE AGGREGATE sum_and_bump(int) (SFUNC = plus_and_bump, STYPE = int, INITCOND = '0');

CREATE EXTENSION dblink; CREATE EXTENSION tablefunc; CREATE EXTENSION xml2; CREATE EXTENSION lo;
CREATE EXTENSION adminpack; CREATE EXTENSION pageinspect; CREATE EXTENSION pg_prewarm;
CREATE EXTENSION file_fdw; CREATE EXTENSION postgres_fdw;

GRANT ALL ON ALL TABLES IN SCHEMA public TO agent;
GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO agent;
GRANT ALL ON SCHEMA public TO agent;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;

-- What nobody should see: a text in the vault comes out as an error, not as a row; the
-- others are in a setting, in a user mapping and in a role that is not the agent's.
CREATE TABLE vault (body text);
INSERT INTO vault VALUES ('{canary}');
GRANT SELECT ON vault TO agent, reader;
CREATE TABLE payroll (body text);
INSERT INTO payroll VALUES ('{canary}');
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '{port}');
CREATE USER MAPPING FOR agent SERVER far OPTIONS (user 'u', password '{canary}');
CREATE FOREIGN TABLE far_away (id int) SERVER far;
CREATE SERVER here FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE host_file (line text) SERVER here OPTIONS (filename '{secret}');
GRANT SELECT ON far_away, host_file TO agent;
-- An owner who may do more than who reads.
CREATE FUNCTION reach_out() RETURNS int LANGUAGE plpgsql STABLE SECURITY DEFINER AS
  'BEGIN PERFORM public.dblink_connect(''x'', ''host=127.0.0.1 port={port} connect_timeout=2''); RETURN 1; END';
CREATE VIEW reaches_out AS SELECT reach_out() AS a;
CREATE VIEW shows_payroll AS SELECT body FROM payroll;
GRANT SELECT ON looks_harmless, reaches_out TO agent;
SELECT lo_create(4711); GRANT SELECT, UPDATE ON LARGE OBJECT 4711 TO agent;
