-- What msMemScope writes: memory of PyTorch's allocator (with 6 MiB from before the recording, and 3 MiB of it freed), of the driver, whose
-- frees name no device, and of the host; marks, steps, operators and kernels.
CREATE TABLE memscope_dump ("ID" INTEGER, "Event" TEXT, "Event Type" TEXT, "Name" TEXT, "Timestamp(ns)" INTEGER, "Process Id" INTEGER,
  "Thread Id" INTEGER, "Device Id" TEXT, "Ptr" TEXT, "Attr" TEXT, "Call Stack(Python)" TEXT, "Call Stack(C)" TEXT);
CREATE TEMP TABLE block AS
  WITH RECURSIVE b(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM b WHERE n < 23)
  SELECT n, 'PTA' AS kind, '0' AS device, 0x12c100000000 + n % 6 * (8 << 20) AS address, (1 + n * 5 % 7) << 20 AS bytes,
         1700000000000000000 + n * 250000 AS start_ns, CASE WHEN n < 22 THEN 1700000000000000000 + n * 250000 + 900000 END AS end_ns,
         CASE n % 3 WHEN 0 THEN 'PTA@model@weight' WHEN 1 THEN 'PTA@model@activation' ELSE '' END AS owner,
         '/opt/run/model/layer' || (n % 3) || '.py(' || (10 + (n % 3)) || '): forward' || char(10) || '/opt/run/train.py(88): <module>' || char(10) AS stack
    FROM b
  UNION ALL SELECT 100, 'HAL', '0', 0x12c040000000, 64 << 20, 1699999999990000000, NULL, 'CANN@RUNTIME', ''
  UNION ALL SELECT 101, 'HAL', '0', 0x12c048000000, 32 << 20, 1700000000001000000, 1700000000004000000, 'CANN@RUNTIME', ''
  UNION ALL SELECT 102, 'HOST_PINNED', 'cpu', 0x12c080000000, 6356992, 1700000000000500000, NULL, '', '';
CREATE TEMP TABLE change AS
  SELECT n, 'MALLOC' AS event, kind, device, address, bytes, start_ns AS t, owner, stack, bytes AS delta FROM block
  UNION ALL SELECT n, 'FREE', kind, CASE kind WHEN 'HAL' THEN 'N/A' ELSE device END, address, bytes, end_ns, '', '', -bytes FROM block WHERE end_ns IS NOT NULL
  UNION ALL SELECT 103, 'FREE', 'PTA', '0', 0x12c1f0000000, 3 << 20, 1700000000002100000, '', '', -(3 << 20);
INSERT INTO memscope_dump SELECT 2 * n + (event = 'FREE'), event, kind, 'N/A', t, 4001, 4001, device, printf('0x%016x', address),
    CASE kind WHEN 'PTA' THEN json_object('allocation_id', '' || n, 'addr', printf('0x%016x', address), 'size', '' || bytes, 'total', '' || (40 << 20), 'used', '' || used)
              ELSE json_object('allocation_id', '' || n, 'addr', printf('0x%016x', address), 'size', '' || bytes) END,
    stack, CASE event WHEN 'MALLOC' THEN '/usr/lib/libruntime.so(+0x3e1214) [0xf79abf7d1214]' || char(10) ELSE '' END
  FROM (SELECT *, (9 << 20) + sum(delta) OVER (PARTITION BY kind ORDER BY t, event) AS used FROM change) ORDER BY t;
UPDATE memscope_dump SET "Attr" = json_set("Attr", '$.owner', (SELECT owner FROM block WHERE n = ID / 2)) WHERE "Event" = 'MALLOC' AND "Event Type" <> 'HOST_PINNED';
WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 2)
INSERT INTO memscope_dump ("ID", "Event", "Event Type", "Name", "Timestamp(ns)", "Process Id", "Thread Id", "Device Id", "Ptr", "Attr")
  SELECT 300, 'MSTX', 'Range_start', '"step start"', 1700000000000200000 + n * 2000000, 4001, 4001, '0', 'N/A', '' FROM s
  UNION ALL SELECT 301, 'MSTX', 'Range_end', '"Range end from id ' || (n + 1) || '"', 1700000000002000000 + n * 2000000, 4001, 4001, '0', 'N/A', '' FROM s
  UNION ALL SELECT 302, 'OP_LAUNCH', 'ATEN_START', 'aten::linear', 1700000000000300000 + n * 2000000, 4001, 4001, '0', 'N/A', '' FROM s
  UNION ALL SELECT 303, 'OP_LAUNCH', 'ATEN_END', 'aten::linear', 1700000000001100000 + n * 2000000, 4001, 4001, '0', 'N/A', '' FROM s
  UNION ALL SELECT 304, 'KERNEL_LAUNCH', 'KERNEL_LAUNCH', 'MatMulV2', 1700000000000600000 + n * 2000000, 4001, 4001, '0', 'N/A', '{"streamId":"2","taskId":"' || n || '"}' FROM s
  UNION ALL SELECT 305, 'KERNEL_LAUNCH', 'KERNEL_EXECUTE_START', 'MatMulV2', 1700000000000900000 + n * 2000000, 0, 0, '0', 'N/A', '{"streamId":"2","taskId":"' || n || '"}' FROM s
  UNION ALL SELECT 306, 'KERNEL_LAUNCH', 'KERNEL_EXECUTE_END', 'MatMulV2', 1700000000001700000 + n * 2000000, 0, 0, '0', 'N/A', '{"streamId":"2","taskId":"' || n || '"}' FROM s;
INSERT INTO memscope_dump VALUES (400, 'MSTX', 'Mark', '"warm-up done"', 1700000000000150000, 4001, 4001, '0', 'N/A', '', '', ''),
  (401, 'ACCESS', 'WRITE', 'aten::linear', 1700000000000400000, 4001, 4001, '0', '0x000012c100000000', '{"size":"24","allocation_id":"0"}', '', ''),
  (402, 'SYSTEM', 'STOP_TRACE', 'N/A', 1700000000007000000, 4001, 4001, 'N/A', 'N/A', '', '', '');
DROP TABLE temp.block;
DROP TABLE temp.change;
