-- For each rank that is far from the median, the stacks that differ from those of the rank nearest to the median, in the same
-- direction and by at least a twentieth of the whole difference.
WITH peaks AS (SELECT run, rank, device, peak_bytes FROM ranks WHERE error IS NULL),
     middle AS (SELECT median(peak_bytes) AS median_bytes FROM peaks),
     spread AS (SELECT greatest(median(abs(peak_bytes - median_bytes)), 0.01 * max(median_bytes)) AS deviation_bytes
                FROM peaks CROSS JOIN middle),
     far AS (SELECT run, rank, device, peak_bytes - median_bytes AS delta_bytes FROM peaks CROSS JOIN middle CROSS JOIN spread
             WHERE abs(peak_bytes - median_bytes) > 3 * deviation_bytes),
     usual AS (SELECT run, rank, device FROM peaks CROSS JOIN middle
               ORDER BY abs(peak_bytes - median_bytes), run, rank, device LIMIT 1),
     usual_stacks AS (SELECT s.stack_key, s.bytes FROM peak_stacks s JOIN usual USING (run, rank, device)),
     both_sides AS (SELECT f.run, f.rank, f.device, f.delta_bytes, s.stack_key, s.bytes, 0 AS median_bytes
                    FROM far f JOIN peak_stacks s USING (run, rank, device)
                    UNION ALL
                    SELECT f.run, f.rank, f.device, f.delta_bytes, u.stack_key, 0 AS bytes, u.bytes AS median_bytes
                    FROM far f CROSS JOIN usual_stacks u),
     differing AS (SELECT run, rank, device, stack_key, max(delta_bytes) AS delta_bytes, sum(bytes) AS bytes,
                          sum(median_bytes) AS median_bytes
                   FROM both_sides GROUP BY run, rank, device, stack_key),
     words AS (SELECT stack_key, min(top_frame) AS source FROM stacks GROUP BY stack_key)
SELECT run, rank, device, stack_key, coalesce(source, '(no stack)') AS source, CAST(bytes AS BIGINT) AS bytes,
       CAST(median_bytes AS BIGINT) AS median_bytes
FROM differing LEFT JOIN words USING (stack_key)
WHERE (bytes - median_bytes) / delta_bytes >= 0.05
ORDER BY run, rank, device, (bytes - median_bytes) / delta_bytes DESC, stack_key
