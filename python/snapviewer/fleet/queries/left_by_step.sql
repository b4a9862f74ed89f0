-- Memory that training steps allocate and never free, by stack, summed over all ranks.
WITH together AS (SELECT training_step, stack_key, count(*) AS ranks, CAST(sum(left_bytes) AS BIGINT) AS left_bytes
                  FROM step_stacks GROUP BY training_step, stack_key)
SELECT training_step, stack_key, ranks, left_bytes FROM together WHERE left_bytes > 0
ORDER BY training_step, left_bytes DESC, stack_key
