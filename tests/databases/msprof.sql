-- What msprof writes without PyTorch: blocks of the graph engine with their addresses, one of which is never released.
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO STRING_IDS VALUES (1, 'allocate'), (2, 'release'), (3, 'GE'), (4, 'app'), (10, 'Conv2D'), (11, 'MatMulV2'), (12, 'BiasAdd');
CREATE TABLE NPU_INFO (id INTEGER, name TEXT);
INSERT INTO NPU_INFO VALUES (0, 'Ascend910B');
CREATE TABLE NPU_OP_MEM (operatorName INTEGER, addr INTEGER, type INTEGER, size INTEGER, timestampNs INTEGER, globalTid INTEGER,
                         totalAllocate NUMERIC, totalReserve NUMERIC, component INTEGER, deviceId INTEGER);
CREATE TEMP TABLE block AS
  WITH RECURSIVE b(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM b WHERE n < 23)
  SELECT n, 10 + n % 3 AS name, (20 << 30) + n % 6 * (8 << 20) AS address, (1 + n * 5 % 7) << 20 AS bytes,
         1700000000000000000 + n * 250000 AS start_ns, CASE WHEN n < 23 THEN 1700000000000000000 + n * 250000 + 900000 END AS end_ns FROM b;
CREATE TEMP TABLE change AS SELECT name, address, 1 AS kind, bytes, start_ns AS t, bytes AS delta FROM block
  UNION ALL SELECT name, address, 2, bytes, end_ns, -bytes FROM block WHERE end_ns IS NOT NULL;
INSERT INTO NPU_OP_MEM SELECT name, address, kind, bytes, t, 4242, sum(delta) OVER (ORDER BY t, kind DESC), 48 << 20, 3, 0 FROM change
  ORDER BY t, kind DESC;
CREATE TABLE NPU_MEM (type INTEGER, ddr NUMERIC, hbm NUMERIC, timestampNs INTEGER, deviceId INTEGER);
INSERT INTO NPU_MEM VALUES (4, 0, 70 << 20, 1700000000000000000, 0), (4, 0, 78 << 20, 1700000000003000000, 0);
CREATE TABLE AICORE_FREQ (deviceId INTEGER, timestampNs NUMERIC, freq INTEGER);
INSERT INTO AICORE_FREQ VALUES (0, 1700000000000000000, 1650), (0, 1700000000004000000, 800);
