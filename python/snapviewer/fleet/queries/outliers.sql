-- Ranks whose peak is more than three deviations from the median, the furthest first. The deviation is the median distance to the
-- median, at least 1 % of the median.
WITH peaks AS (SELECT run, rank, device, peak_bytes FROM ranks WHERE error IS NULL),
     middle AS (SELECT median(peak_bytes) AS median_bytes FROM peaks),
     spread AS (SELECT greatest(median(abs(peak_bytes - median_bytes)), 0.01 * max(median_bytes)) AS deviation_bytes
                FROM peaks CROSS JOIN middle)
SELECT run, rank, device, peak_bytes, peak_bytes - median_bytes AS delta_bytes
FROM peaks CROSS JOIN middle CROSS JOIN spread
WHERE abs(peak_bytes - median_bytes) > 3 * deviation_bytes
ORDER BY abs(peak_bytes - median_bytes) DESC, run, rank, device
