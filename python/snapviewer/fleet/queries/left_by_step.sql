-- What each training step leaves behind for good, by stack, all ranks together.
SELECT training_step, stack_key, count(*) AS ranks, CAST(sum(left_bytes) AS BIGINT) AS left_bytes
FROM step_stacks GROUP BY training_step, stack_key HAVING sum(left_bytes) > 0
ORDER BY training_step, sum(left_bytes) DESC, stack_key
