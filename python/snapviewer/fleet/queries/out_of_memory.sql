-- The ranks that ran out of memory, and why.
SELECT run, rank, device, oom_cause, peak_bytes, reserved_peak_bytes, capacity_bytes
FROM ranks WHERE oom_cause IS NOT NULL ORDER BY run, rank, device
