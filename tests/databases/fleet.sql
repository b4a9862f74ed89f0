-- What `snapviewer fleet --write` makes of two ranks, one of them on two devices, and a damaged third (docs/fleets.md).
PRAGMA application_id = 0x736e7666;
CREATE TABLE ranks (run TEXT, rank INTEGER, host TEXT, device INTEGER, file TEXT, file_bytes INTEGER, events INTEGER, peak_bytes INTEGER, peak_step INTEGER,
    peak_time_us INTEGER, reserved_peak_bytes INTEGER, capacity_bytes INTEGER, oom_cause TEXT, wrapped INTEGER, settings_json TEXT, error TEXT, rank_from TEXT);
CREATE TABLE peak_stacks (run TEXT, rank INTEGER, device INTEGER, stack_key TEXT, bytes INTEGER, count INTEGER);
CREATE TABLE step_stacks (run TEXT, rank INTEGER, device INTEGER, training_step INTEGER, stack_key TEXT, allocated_bytes INTEGER, left_bytes INTEGER);
CREATE TABLE stacks (run TEXT, stack_key TEXT, text TEXT, top_frame TEXT);
CREATE TABLE growth (run TEXT, rank INTEGER, device INTEGER, stack_key TEXT, source TEXT, state TEXT, slope REAL, grown_bytes INTEGER);
CREATE TABLE totals (run TEXT, rank INTEGER, device INTEGER, step INTEGER, time_us INTEGER, allocated_bytes INTEGER, reserved_bytes INTEGER);
INSERT INTO ranks VALUES
    ('job', 0, 'node-1', 0, 'rank0.pickle', 9000, 40, 5000, 12, 1700000000000012, 6000, NULL, NULL, 0, '{"expandable_segments": true}', NULL, 'file name'),
    ('job', 0, 'node-1', 1, 'rank0.pickle', 9000, 20, 4000, 9, NULL, NULL, NULL, NULL, 1, NULL, NULL, 'file name'),
    ('job', 1, 'node-2', 0, 'rank1.pickle', 9100, 44, 90000, 30, 1700000000000030, 95000, 100000, 'capacity', 0, NULL, NULL, 'file name'),
    ('job', 2, NULL, NULL, 'rank2.pickle', 10, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'ends too soon', 'order');
INSERT INTO peak_stacks VALUES ('job', 0, 0, '00000000000000a1', 4000, 2), ('job', 0, 0, '0000000000000000', 1000, 1),
    ('job', 0, 1, '00000000000000a1', 4000, 4), ('job', 1, 0, '00000000000000a1', 4000, 2), ('job', 1, 0, '00000000000000b2', 86000, 1);
INSERT INTO step_stacks VALUES ('job', 0, 0, 3, '00000000000000a1', 4000, 0), ('job', 1, 0, 3, '00000000000000b2', 86000, 86000);
INSERT INTO stacks VALUES ('job', '00000000000000a1', 'forward model.py:1' || char(10) || 'main train.py:2', 'forward@model.py:1'),
    ('job', '00000000000000b2', 'log train.py:9', 'log@train.py:9');
INSERT INTO growth VALUES ('job', 1, 0, '00000000000000b2', 'log@train.py:9', 'growing', 1024.5, 4096);
INSERT INTO totals VALUES ('job', 0, 0, 0, NULL, 100, NULL), ('job', 0, 0, 12, 1700000000000012, 5000, 6000);
