-- A profile of two training steps on one device, as the Ascend PyTorch Profiler writes it, with memory from before it began.
-- What happens is in `plan`; all totals are summed up from it.
CREATE TEMP TABLE plan (name TEXT, component TEXT, bytes INTEGER, stream INTEGER, start_ns INTEGER, free_ns INTEGER,
                        pool_ns INTEGER, step INTEGER, layer INTEGER);
CREATE TEMP TABLE layer AS
  WITH RECURSIVE l(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM l WHERE n < 6), s(n) AS (SELECT 0 UNION ALL SELECT 1)
  SELECT l.n AS n, s.n AS step, 1700000000000000000 + s.n * 20000000 AS t0 FROM l, s;
-- Forward: what is kept for the backward pass, and a temporary.
INSERT INTO plan SELECT 'aten::linear', 'PTA', (4 + n) << 20, 2, t0 + n * 800000 + 500000, t0 + (18 - n) * 900000,
                        t0 + (18 - n) * 900000 - 600, step, n FROM layer;
INSERT INTO plan SELECT 'aten::dropout', 'PTA', 2 << 20, 2, t0 + n * 800000 + 700000, t0 + n * 800000 + 1000000,
                        t0 + n * 800000 + 999400, step, n FROM layer;
-- Backward: gradients, two of which outlive the profile.
INSERT INTO plan SELECT 'aten::mm', 'PTA', 3 << 20, 2, t0 + (17 - n) * 900000 + 400000,
                        CASE WHEN step = 0 OR n > 2 THEN t0 + 18500000 + n * 30000 END,
                        CASE WHEN step = 0 OR n > 2 THEN t0 + 18500000 + n * 30000 - 600 END, step, n FROM layer;
-- A tensor that another stream still uses when it is freed, and a block that no operation is known for.
INSERT INTO plan SELECT 'c10d::allreduce_', 'PTA', 12 << 20, 3, t0 + 16600000, t0 + 17000000, t0 + 19000000, step, 0
                 FROM layer WHERE n = 1;
INSERT INTO plan SELECT NULL, 'PTA', 1 << 20, 2, t0 + 2000000, t0 + 16000000, t0 + 15999400, step, 0 FROM layer WHERE n = 1;
INSERT INTO plan SELECT 'MatMulV2', 'GE', 6 << 20, NULL, t0 + 5100000, t0 + 15100000, NULL, step, 0 FROM layer WHERE n = 1;
-- The operators' workspace: its pool grows once, then is used in every layer.
INSERT INTO plan SELECT 'MatMulV2', 'WORKSPACE', 16 << 20, 2, t0 + 1200000, NULL, NULL, step, 0 FROM layer WHERE n = 1 AND step = 0;
INSERT INTO plan SELECT 'MatMulV2', 'WORKSPACE', (10 + n) << 20, 2, t0 + n * 800000 + 510000, t0 + n * 800000 + 900000, NULL, step, 0
                 FROM layer;

CREATE TEMP TABLE change AS
  SELECT component, start_ns AS t, bytes AS allocated, CASE WHEN component = 'PTA' THEN bytes ELSE 0 END AS active FROM plan
    WHERE component <> 'WORKSPACE' OR free_ns IS NOT NULL
  UNION ALL SELECT component, min(free_ns, coalesce(pool_ns, free_ns)), -bytes, 0 FROM plan WHERE free_ns IS NOT NULL
  UNION ALL SELECT component, pool_ns, 0, -bytes FROM plan WHERE pool_ns IS NOT NULL
  UNION ALL SELECT component, free_ns, 0, 0 FROM plan WHERE pool_ns < free_ns
  UNION ALL SELECT 'WORKSPACE', start_ns, 0, 0 FROM plan WHERE component = 'WORKSPACE' AND free_ns IS NULL
  -- From before the profile: 136 MiB, of which 24 and 16 are freed during it.
  UNION ALL SELECT 'PTA', 1700000000000100000, 136 << 20, 136 << 20
  UNION ALL SELECT 'PTA', 1700000000009050000, -(24 << 20), -(24 << 20)
  UNION ALL SELECT 'PTA', 1700000000027050000, -(16 << 20), -(16 << 20);
CREATE TEMP TABLE total AS
  SELECT component, t, sum(sum(allocated)) OVER (PARTITION BY component ORDER BY t) AS allocated,
         sum(sum(active)) OVER (PARTITION BY component ORDER BY t) AS active, 0 AS reserved FROM change GROUP BY component, t;
UPDATE total SET reserved = CASE component WHEN 'GE' THEN 20 << 20 WHEN 'WORKSPACE' THEN 16 << 20
  ELSE (SELECT (max(o.active) / (32 << 20) + 1) * (32 << 20) FROM total o WHERE o.component = 'PTA' AND o.t <= total.t) END;
INSERT INTO total
  SELECT 'PTA+GE', t,
         allocated + coalesce((SELECT o.allocated FROM total o WHERE o.component = other AND o.t <= a.t ORDER BY o.t DESC LIMIT 1), 0),
         max(active, coalesce((SELECT o.active FROM total o WHERE o.component = other AND o.t <= a.t ORDER BY o.t DESC LIMIT 1), 0)),
         reserved + coalesce((SELECT o.reserved FROM total o WHERE o.component = other AND o.t <= a.t ORDER BY o.t DESC LIMIT 1), 0)
  FROM (SELECT *, CASE component WHEN 'PTA' THEN 'GE' ELSE 'PTA' END AS other FROM total WHERE component IN ('PTA', 'GE')) a;

CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS (value)
  SELECT DISTINCT name FROM plan WHERE name IS NOT NULL UNION SELECT DISTINCT component FROM total
  UNION VALUES ('ProfilerStep#7'), ('ProfilerStep#8'), ('nn.Module: Linear'), ('layer.py(12): forward'), ('model.py(40): forward'),
    ('train.py(9): <module>'), ('AI_CORE'), ('HcclAllReduce'), ('app'), ('device'), ('read'), ('write'),
    ('16,512;' || char(13, 10) || '512,512'), ('Float;' || char(13, 10) || 'Float');
CREATE TEMP VIEW id AS SELECT value, id FROM STRING_IDS;

CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER,
                            totalActive INTEGER, streamPtr INTEGER, deviceId INTEGER);
INSERT INTO MEMORY_RECORD SELECT s.id, t, allocated, reserved, active, CASE component WHEN 'GE' THEN NULL ELSE 2 END, 0
  FROM total JOIN STRING_IDS s ON s.value = component ORDER BY t, component;

CREATE TABLE OP_MEMORY (name INTEGER, size INTEGER, allocationTime INTEGER, releaseTime INTEGER, activeReleaseTime INTEGER,
  duration INTEGER, activeDuration INTEGER, allocationTotalAllocated INTEGER, allocationTotalReserved INTEGER,
  allocationTotalActive INTEGER, releaseTotalAllocated INTEGER, releaseTotalReserved INTEGER, releaseTotalActive INTEGER,
  streamPtr INTEGER, deviceId INTEGER);
INSERT INTO OP_MEMORY
  SELECT coalesce(s.id, 4294967295), bytes, start_ns, free_ns, pool_ns, free_ns - start_ns, pool_ns - start_ns,
         a.allocated, a.reserved, a.active, r.allocated, r.reserved, r.active, stream, 0
  FROM plan p JOIN total a ON a.component = p.component AND a.t = start_ns
  LEFT JOIN total r ON r.component = p.component AND r.t = free_ns LEFT JOIN STRING_IDS s ON s.value = p.name
  ORDER BY p.component = 'GE', start_ns;

-- Who was at work: an operation around each allocation of PTA, modules around those of the forward pass, two steps.
CREATE TEMP TABLE operation AS
  SELECT name, start_ns - 50000 AS a, start_ns + 100000 AS z, CASE name WHEN 'aten::mm' THEN 8 ELSE 7 END AS tid,
         CASE WHEN name = 'c10d::allreduce_' OR layer > 0 THEN step * 100 + layer * 10 + length(name) % 10 END AS connection,
         CASE WHEN name IN ('aten::linear', 'aten::mm') THEN step * 10 + layer ELSE -1 END AS sequence,
         CASE name WHEN 'aten::mm' THEN 1 ELSE 0 END AS forward_thread,
         CASE WHEN name <> 'aten::mm' THEN step * 100 + layer * 10 + length(name) % 10 END AS chain
  FROM plan WHERE component = 'PTA' AND name IS NOT NULL
  UNION ALL SELECT 'nn.Module: Linear', start_ns - 90000, start_ns + 400000, 7, NULL, -1, 0, NULL FROM plan WHERE name = 'aten::linear'
  UNION ALL SELECT 'ProfilerStep#' || (7 + step), t0 + 200000, t0 + 19800000, 7, NULL, -1, 0, NULL FROM layer WHERE n = 1;
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, sequenceNumber INTEGER,
                          fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER);
INSERT INTO PYTORCH_API
  SELECT CAST(a AS TEXT), CAST(z AS TEXT), (4242 << 32) + tid, connection, s.id, sequence, forward_thread,
         (SELECT id FROM STRING_IDS WHERE value LIKE 'Float;%' AND name = 'aten::linear'),
         (SELECT id FROM STRING_IDS WHERE value LIKE '16,512%' AND name = 'aten::linear'), chain, 50001
  FROM operation JOIN STRING_IDS s ON s.value = name ORDER BY a, z DESC;
CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER);
INSERT INTO PYTORCH_CALLCHAINS
  SELECT chain, s.id, CASE substr(s.value, 1, 2) WHEN 'la' THEN 0 WHEN 'mo' THEN 1 ELSE 2 END FROM operation
  JOIN STRING_IDS s ON s.value LIKE '%.py(%' WHERE chain IS NOT NULL ORDER BY chain, 3;
CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
INSERT INTO CONNECTION_IDS SELECT connection, 5000 + connection FROM operation WHERE connection IS NOT NULL;
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, globalPid INTEGER,
                   taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
INSERT INTO TASK
  SELECT a + 300000, a + 620000, 0, 5000 + connection, 9000 + connection, 4242, (SELECT id FROM id WHERE value = 'AI_CORE'),
         4294967295, 2, connection, 4294967295 FROM operation WHERE connection IS NOT NULL;
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY);
INSERT INTO COMPUTE_TASK_INFO SELECT (SELECT id FROM id WHERE value = 'MatMulV2'), 9000 + connection FROM operation
  WHERE name IN ('aten::linear', 'aten::mm');
CREATE TABLE COMMUNICATION_OP (opName INTEGER, connectionId INTEGER);
INSERT INTO COMMUNICATION_OP SELECT (SELECT id FROM id WHERE value = 'HcclAllReduce'), 5000 + connection FROM operation
  WHERE name = 'c10d::allreduce_';

CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
INSERT INTO STEP_TIME SELECT 7 + step, t0 + 200000, t0 + 19800000 FROM layer WHERE n = 1;
CREATE TABLE GC_RECORD (startNs INTEGER, endNs INTEGER, globalTid INTEGER);
INSERT INTO GC_RECORD VALUES (1700000000010600000, 1700000000011300000, (4242 << 32) + 4242),
                             (1700000000032000000, 1700000000034500000, NULL);
CREATE TABLE RANK_DEVICE_MAP (rankId INTEGER, deviceId INTEGER);
INSERT INTO RANK_DEVICE_MAP VALUES (3, 0);
CREATE TABLE NPU_INFO (id INTEGER, name TEXT);
INSERT INTO NPU_INFO VALUES (0, 'Ascend910B');

-- Sampled every millisecond.
CREATE TEMP TABLE sample AS
  WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 40)
  SELECT n, 1700000000000000000 + n * 1000000 AS t, abs(n % 20 - 10) AS wave FROM i;
CREATE TABLE NPU_MEM (type INTEGER, ddr NUMERIC, hbm NUMERIC, timestampNs INTEGER, deviceId INTEGER);
INSERT INTO NPU_MEM SELECT s.id, 0, (250 + n / 10 * 4) << 20, t, 0 FROM sample JOIN STRING_IDS s ON s.value = 'app' WHERE n % 5 = 0;
CREATE TABLE ENUM_MODULE (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO ENUM_MODULE VALUES (3, 'HCCL'), (7, 'RUNTIME'), (9, 'SLOG');
CREATE TABLE NPU_MODULE_MEM (moduleId INTEGER, timestampNs INTEGER, totalReserved NUMERIC, deviceId INTEGER);
INSERT INTO NPU_MODULE_MEM SELECT 3, t, (n > 14) * (24 << 20), 0 FROM sample UNION ALL SELECT 7, t, 9 << 20, 0 FROM sample
  UNION ALL SELECT 9, t, 0, 0 FROM sample;
CREATE TABLE ROCE (deviceId INTEGER, timestampNs INTEGER, rxByteRate NUMERIC, txByteRate NUMERIC, funcId INTEGER);
INSERT INTO ROCE SELECT 0, t, wave * 1.5e9, wave * 1.1e9, 0 FROM sample UNION ALL SELECT 0, t, 2e8, 1e8 * (n % 3), 1 FROM sample;
CREATE TABLE NIC (deviceId INTEGER, timestampNs INTEGER, rxByteRate NUMERIC, txByteRate NUMERIC, funcId INTEGER);
INSERT INTO NIC SELECT 0, t, 0, 0, 0 FROM sample;
CREATE TABLE HCCS (deviceId INTEGER, timestampNs INTEGER, txThroughput NUMERIC, rxThroughput NUMERIC);
INSERT INTO HCCS SELECT 0, t, (n % 20 > 15) * 2.5e10, (n % 20 > 16) * 2.2e10 FROM sample;
CREATE TABLE PCIE (deviceId INTEGER, timestampNs INTEGER, txPostMin NUMERIC, txPostMax NUMERIC, txPostAvg NUMERIC,
                   rxPostMin NUMERIC, rxPostMax NUMERIC, rxPostAvg NUMERIC);
INSERT INTO PCIE SELECT 0, t, wave * 1e8, wave * 3e8 + 1e8, wave * 2e8, wave * 5e7, wave * 9e7, wave * 7e7 FROM sample;
CREATE TABLE HBM (deviceId INTEGER, timestampNs INTEGER, bandwidth NUMERIC, hbmId INTEGER, type INTEGER);
INSERT INTO HBM SELECT 0, t, wave * CASE s.value WHEN 'read' THEN 3e10 ELSE 1.2e10 END + hbm * 1e9, hbm, s.id FROM sample, (SELECT 0 AS hbm UNION ALL SELECT 1)
  JOIN STRING_IDS s ON s.value IN ('read', 'write');
CREATE TABLE AICORE_FREQ (deviceId INTEGER, timestampNs NUMERIC, freq INTEGER);
INSERT INTO AICORE_FREQ VALUES (0, 1700000000000000000, 1650), (0, 1700000000012000000, 800), (0, 1700000000018000000, 1650);
