"""Queries for which snapviewer and Python's SQLite must return the same rows in the same order."""

# Queries on data of the file itself.
FILE_CASES = [
    "SELECT id, device, action, address, size, device_free, stream, time_us FROM events ORDER BY id",
    "SELECT action, count(*), sum(size), min(size), max(time_us) FROM events GROUP BY action ORDER BY action",
    "SELECT id FROM events WHERE address = (SELECT address FROM events WHERE id = 3) ORDER BY id",
    "SELECT id, size FROM events WHERE size > 1000 AND size <= 1000000 ORDER BY size DESC, id LIMIT 100",
    "SELECT id FROM events WHERE size BETWEEN 512.5 AND '100000' AND action LIKE 'FREE%' ORDER BY id",
    "SELECT count(*) FROM events WHERE time_us IS NULL OR address IS NULL",
    "SELECT e.id, s.depth, s.text FROM events e LEFT JOIN stacks s ON s.id = e.stack_id WHERE e.id % 97 = 0 ORDER BY e.id",
    "SELECT count(*) FROM events e JOIN stacks s ON s.id = e.stack_id WHERE s.text LIKE '%BACKWARD%'",
    "SELECT count(*) FROM events e JOIN stacks s ON s.id = e.stack_id WHERE s.text GLOB '*backward*'",
    "SELECT user_metadata, count(*) FROM events WHERE user_metadata <> '' GROUP BY user_metadata ORDER BY user_metadata",
    "SELECT text, depth FROM stacks ORDER BY text",
    "SELECT text, top_frame, key FROM stacks ORDER BY text",
    "SELECT top_frame, count(DISTINCT key), count(*) FROM stacks GROUP BY top_frame ORDER BY top_frame",
    "SELECT file, is_own, count(*) FROM frames GROUP BY file, is_own ORDER BY file",
    "SELECT f.file, f.line, f.function, count(*) FROM stack_frames sf JOIN frames f ON f.id = sf.frame_id "
    "GROUP BY f.file, f.line, f.function ORDER BY 1, 2, 3",
    "SELECT s.text, sf.depth, f.function, f.line FROM stacks s JOIN stack_frames sf ON sf.stack_id = s.id "
    "JOIN frames f ON f.id = sf.frame_id WHERE s.depth < 100 ORDER BY s.text, sf.depth",
    "SELECT file, line, function, text FROM frames ORDER BY 1, 2, 3",
    "SELECT id, device, address, size, allocated, active, stream, pool, type, is_expandable FROM segments ORDER BY id",
    "SELECT id, segment_id, device, address, size, requested, state FROM blocks ORDER BY id",
    "SELECT s.type, b.state, count(*), sum(b.size - b.requested) FROM blocks b JOIN segments s ON s.id = b.segment_id "
    "GROUP BY s.type, b.state ORDER BY 1, 2",
    "SELECT id, device, name, stage, time_us FROM annotations ORDER BY id",
    "SELECT name, count(*) FROM annotations WHERE stage = 'START' GROUP BY name HAVING count(*) > 1 ORDER BY name",
    "SELECT device, name, start_time_us, end_time_us FROM ranges ORDER BY 1, 2, 3, 4",
    "SELECT device, pool, segments, reserved, allocated, active, holes, hole_bytes, largest_hole FROM pools ORDER BY 1, 2",
    "SELECT stream, number FROM streams WHERE stream <> 0 ORDER BY number",
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20) "
    "SELECT i, (SELECT count(*) FROM events WHERE size = i * 512), (SELECT action FROM events WHERE id = i) FROM n",
]

# Queries on data of the reference timeline.
TIMELINE_CASES = [
    "SELECT idx, size, start_time, end_time, callstack FROM allocs ORDER BY idx",
    "SELECT idx, size FROM allocs WHERE start_time <= 500 AND end_time > 500 ORDER BY size DESC, idx",
    "SELECT idx, size, start_time, end_time FROM allocs ORDER BY size DESC, idx LIMIT 50",
    "SELECT count(*), sum(size) FROM allocs WHERE callstack LIKE '%linear%'",
    "SELECT count(*), sum(size) FROM allocs WHERE callstack NOT LIKE '%linear%'",
    "SELECT count(*), sum(size) FROM allocs WHERE callstack IS NULL",
    "SELECT start_time, count(*) FROM allocs GROUP BY start_time ORDER BY start_time DESC LIMIT 20",
    "SELECT id, device, address, size, stream, origin, alloc_step, free_step FROM allocations ORDER BY id",
    "SELECT a.device, s.text, count(*), sum(a.size) FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id "
    "WHERE a.free_step IS NULL GROUP BY a.device, s.text ORDER BY 1, 2",
    "SELECT a.id, count(b.id) FROM allocations a JOIN allocations b ON b.address = a.address AND b.id > a.id "
    "WHERE a.id < 200 GROUP BY a.id ORDER BY a.id",
    "SELECT origin, device, count(*), max(size) FROM allocations GROUP BY origin, device ORDER BY 1, 2",
    "SELECT device, events, allocations, steps, peak_bytes, live_bytes_at_end FROM devices ORDER BY device",
    "SELECT device, live_bytes_at_end, (SELECT total(size) FROM allocations a WHERE a.device = d.device AND free_step IS NULL), "
    "(SELECT allocated FROM totals t WHERE t.device = d.device ORDER BY step DESC LIMIT 1) FROM devices d ORDER BY device",
    "SELECT device, step, allocated, reserved FROM totals",
    "SELECT device, max(allocated), max(reserved), min(reserved) FROM totals GROUP BY device ORDER BY device",
]
