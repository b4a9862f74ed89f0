-- A memory report of a model of four blocks, as Skyline and DeepView write it. Activations are numbered from the loss backwards.
CREATE TABLE weight_entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, size_bytes INTEGER NOT NULL, grad_size_bytes INTEGER NOT NULL);
CREATE TABLE activation_entries (id INTEGER PRIMARY KEY, operation_name TEXT NOT NULL, size_bytes INTEGER NOT NULL);
CREATE TABLE stack_correlation (correlation_id INTEGER PRIMARY KEY, entry_id INTEGER NOT NULL, entry_type INTEGER NOT NULL);
CREATE TABLE stack_frames (correlation_id INTEGER NOT NULL, ordering INTEGER NOT NULL, file_path TEXT NOT NULL, line_number INTEGER NOT NULL);
CREATE TABLE entry_types (entry_type INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE misc_sizes (key TEXT PRIMARY KEY, size_bytes INT NOT NULL);
PRAGMA user_version = 1;
INSERT INTO entry_types VALUES (1, 'Weight'), (2, 'Activation');

CREATE TEMP TABLE block AS WITH RECURSIVE b(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM b WHERE n < 3) SELECT n FROM b;
CREATE TEMP TABLE part (place INTEGER, operation TEXT, line INTEGER, bytes INTEGER);  -- of one block, in forward order
INSERT INTO part VALUES (1, 'layer_norm', 30, 4 << 20), (2, 'linear', 44, 12 << 20), (3, 'softmax', 52, 9 << 20), (4, 'view', 53, 0),
  (5, 'gelu', 61, 7 << 20);
-- The embedding, four blocks, the head, the loss.
CREATE TEMP TABLE forward AS
  SELECT row_number() OVER (ORDER BY place DESC) AS id, * FROM (
    SELECT 0 AS place, 'embedding' AS operation, 88 AS line, 6 << 20 AS bytes, 'net/model.py' AS file
    UNION ALL SELECT 1 + 5 * n + place, operation, line, bytes, 'net/block.py' FROM block, part
    UNION ALL SELECT 30, 'linear', 95, 20 << 20, 'net/model.py' UNION ALL SELECT 31, 'cross_entropy', 99, 11 << 20, 'net/model.py');
INSERT INTO activation_entries SELECT id, operation, bytes FROM forward;

INSERT INTO weight_entries VALUES (1, 'weight', 30 << 20, 30 << 20);
INSERT INTO weight_entries SELECT 2 + 2 * n, 'weight', 9 << 20, 9 << 20 FROM block;
INSERT INTO weight_entries SELECT 3 + 2 * n, 'bias', 512 << 10, CASE WHEN n > 0 THEN 512 << 10 ELSE 0 END FROM block;
INSERT INTO stack_correlation SELECT id, id, 1 FROM weight_entries;
INSERT INTO stack_correlation SELECT 100 + id, id, 2 FROM activation_entries;
INSERT INTO stack_frames VALUES (1, 0, 'net/model.py', 52);
INSERT INTO stack_frames SELECT id, 0, 'net/block.py', 11 + id % 2 FROM weight_entries WHERE id > 1;
INSERT INTO stack_frames SELECT id, 1, 'net/model.py', 56 FROM weight_entries WHERE id > 1;
INSERT INTO stack_frames SELECT 100 + id, 0, file, line FROM forward;
INSERT INTO stack_frames SELECT 100 + id, 1, 'net/model.py', 93 FROM forward WHERE file = 'net/block.py';
INSERT INTO misc_sizes VALUES ('peak_usage_bytes', 360 << 20);
