-- A run-time report of the model of memory_report.sql. Operations are numbered in the order in which they ran.
CREATE TABLE run_time_entries (id INTEGER PRIMARY KEY, operation_name TEXT NOT NULL, forward_ms REAL NOT NULL, backward_ms REAL);
CREATE TABLE stack_frames (ordering INTEGER NOT NULL, file_path TEXT NOT NULL, line_number INTEGER NOT NULL, entry_id INTEGER NOT NULL,
                           PRIMARY KEY (entry_id, ordering));
PRAGMA user_version = 1;
CREATE TEMP TABLE block AS WITH RECURSIVE b(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM b WHERE n < 3) SELECT n FROM b;
CREATE TEMP TABLE part (place INTEGER, operation TEXT, line INTEGER, forward_ms REAL, backward_ms REAL);
INSERT INTO part VALUES (1, 'layer_norm', 30, 0.3, 0.5), (2, 'linear', 44, 1.6, 3.1), (3, 'softmax', 52, 0.4, 0.7), (4, 'view', 53, 0.004, 0.006),
  (5, 'gelu', 61, 0.5, 0.6);
INSERT INTO run_time_entries VALUES (1, 'embedding', 0.4, 0.7), (2, 'arange', 0.02, NULL), (30, 'linear', 2.0, 4.0),
  (31, 'cross_entropy', 0.9, 0.8);
INSERT INTO run_time_entries SELECT 2 + 5 * n + place, operation, forward_ms, backward_ms FROM block, part;
INSERT INTO stack_frames VALUES (0, 'net/model.py', 88, 1), (0, 'net/model.py', 89, 2), (0, 'net/model.py', 95, 30), (0, 'net/model.py', 99, 31);
INSERT INTO stack_frames SELECT 0, 'net/block.py', line, 2 + 5 * n + place FROM block, part;
INSERT INTO stack_frames SELECT 1, 'net/model.py', 93, 2 + 5 * n + place FROM block, part;
