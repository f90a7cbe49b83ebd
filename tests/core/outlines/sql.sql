-- CREATE TABLE no (a int);
CREATE TABLE IF NOT EXISTS shop."Order Items" (
  id SERIAL PRIMARY KEY,
  title VARCHAR(10) NOT NULL DEFAULT 'it''s; ok',
  CHECK (id > 0)
);

create index items_by_title on shop.items (title);

CREATE OR REPLACE VIEW shop.open AS
WITH recent AS (SELECT * FROM shop.orders)
SELECT id FROM recent WHERE paid > 1;

CREATE MATERIALIZED VIEW totals AS SELECT 1;

CREATE FUNCTION total(a int) RETURNS int AS $$
  SELECT a + 1;
$$ LANGUAGE sql;

CREATE FUNCTION total(a text) RETURNS int AS $$
  SELECT 2;
$$ LANGUAGE sql;

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TRIGGER audit BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION total();
CREATE SEQUENCE numbers;
CREATE SCHEMA shop;

ALTER TABLE shop."Order Items" ADD COLUMN note text;

WITH first AS (SELECT 1), second AS (SELECT 2)
SELECT * FROM first;

INSERT INTO orders (id) VALUES (1);

WITH only AS (SELECT 1)
SELECT *
FROM only;
