-- Stacks that leak on at least one rank: the number of these ranks, and the median of their slopes in bytes per step. The stacks with
-- the largest leak over all ranks come first.
WITH leaks AS (SELECT stack_key, CASE WHEN stack_key = '0000000000000000' THEN source ELSE '' END AS of_size, source, slope
               FROM growth WHERE state = 'leak'),
     together AS (SELECT stack_key, min(source) AS source, count(*) AS ranks, median(slope) AS slope
                  FROM leaks GROUP BY stack_key, of_size)
SELECT stack_key, source, ranks, slope FROM together ORDER BY ranks * slope DESC, stack_key
