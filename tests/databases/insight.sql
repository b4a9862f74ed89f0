-- What MindStudio Insight makes of a snapshot: six events over two segments, one of them there before the recording, and a block
-- that no event tells of. All in sizes that can be added up by hand.
CREATE TABLE dictionary (`table` TEXT, `column` TEXT, `key` TEXT, `value` TEXT);
INSERT INTO dictionary SELECT 'trace_entry_0', 'action', key, value FROM (
  SELECT 0 AS key, 'segment_map' AS value UNION ALL SELECT 1, 'segment_unmap' UNION ALL SELECT 2, 'segment_alloc' UNION ALL
  SELECT 3, 'segment_free' UNION ALL SELECT 4, 'alloc' UNION ALL SELECT 5, 'free_requested' UNION ALL
  SELECT 6, 'free_completed' UNION ALL SELECT 7, 'workspace_snapshot');
INSERT INTO dictionary VALUES ('block_0', 'state', '-1', 'inactive'), ('block_0', 'state', '1', 'active_allocated'),
  ('block_0', 'state', '0', 'active_pending_free');
CREATE TABLE trace_entry_0 (id INTEGER PRIMARY KEY, action INTEGER, address INTEGER, size INTEGER, stream INTEGER,
  allocated INTEGER, active INTEGER, reserved INTEGER, callstack TEXT);
INSERT INTO trace_entry_0 VALUES
  (-1, 2, 0x10000000, 20 << 20, 0, 3 << 20, 3 << 20, 20 << 20, ''),
  (0, 4, 0x10400000, 4 << 20, 0, 7 << 20, 7 << 20, 20 << 20, 'train.py:10 main' || char(10) || 'model.py:20 forward'),
  (1, 2, 0x20000000, 8 << 20, 3, 7 << 20, 7 << 20, 28 << 20, 'train.py:10 main' || char(10) || 'C:\model files\m.py:21 grow(int, int)'),
  (2, 4, 0x20000000, 5 << 20, 3, 12 << 20, 12 << 20, 28 << 20, 'train.py:10 main' || char(10) || 'C:\model files\m.py:21 grow(int, int)'),
  (3, 5, 0x10400000, 4 << 20, 0, 8 << 20, 12 << 20, 28 << 20, 'train.py:11 main'),
  (4, 6, 0x10400000, 4 << 20, 0, 8 << 20, 8 << 20, 28 << 20, 'train.py:11 main'),
  (5, 4, 0x10400000, 2 << 20, 0, 10 << 20, 10 << 20, 28 << 20, '');
CREATE TABLE block_0 (id INTEGER PRIMARY KEY, address INTEGER, size INTEGER, requestedSize INTEGER, state INTEGER DEFAULT 99,
  allocEventId INTEGER, freeEventId INTEGER);
INSERT INTO block_0 VALUES (-1, 0x10000000, 3 << 20, (3 << 20) - 100, 1, -1, -1), (0, 0x10400000, 4 << 20, 4 << 20, 1, 0, 4),
  (2, 0x20000000, 5 << 20, 5 << 20, 1, 2, -1), (5, 0x10400000, 2 << 20, 2 << 20, 1, 5, -1);
