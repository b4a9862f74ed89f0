"""Useful joins for profiler databases, in plain SQL on the files' own tables."""

ALLOCATIONS = """SELECT o.rowid, s.value, o.size, o.allocationTime, o.releaseTime, o.activeReleaseTime, o.streamPtr, o.deviceId,
o.allocationTotalAllocated FROM OP_MEMORY o LEFT JOIN STRING_IDS s ON s.id = o.name ORDER BY o.allocationTime, o.rowid"""
COMPONENTS = """SELECT o.rowid, c.value FROM OP_MEMORY o LEFT JOIN (SELECT DISTINCT m.timestamp t, m.deviceId d, m.totalAllocated a, s.value
FROM MEMORY_RECORD m JOIN STRING_IDS s ON s.id = m.component WHERE s.value <> 'PTA+GE') c
ON c.t = o.allocationTime AND c.d = o.deviceId AND c.a = o.allocationTotalAllocated ORDER BY o.rowid"""
TOTALS = """SELECT s.value, m.timestamp, m.totalAllocated, m.totalActive, m.totalReserved, m.deviceId FROM MEMORY_RECORD m
LEFT JOIN STRING_IDS s ON s.id = m.component ORDER BY m.timestamp, m.rowid"""
PROCESS = """SELECT n.timestampNs, n.hbm + n.ddr, n.deviceId FROM NPU_MEM n JOIN STRING_IDS s ON s.id = n.type WHERE s.value = 'app' ORDER BY 1"""
MODULES = """SELECT coalesce(e.name, m.moduleId), m.timestampNs, m.totalReserved, m.deviceId FROM NPU_MODULE_MEM m
LEFT JOIN ENUM_MODULE e ON e.id = m.moduleId
WHERE m.moduleId IN (SELECT moduleId FROM NPU_MODULE_MEM GROUP BY 1 HAVING max(totalReserved) > 0) ORDER BY 2, m.rowid"""
OPERATIONS_AT = """SELECT p.rowid, n.value, p.callchainId, p.sequenceNumber, p.fwdThreadId, p.globalTid FROM PYTORCH_API p
LEFT JOIN STRING_IDS n ON n.id = p.name WHERE p.type = 50001 AND CAST(p.startNs AS INTEGER) <= {0}
AND CAST(p.endNs AS INTEGER) >= {0} ORDER BY CAST(p.startNs AS INTEGER), CAST(p.endNs AS INTEGER) DESC, p.rowid"""
STACK = """SELECT s.value FROM PYTORCH_CALLCHAINS c LEFT JOIN STRING_IDS s ON s.id = c.stack WHERE c.id = {0} ORDER BY c.stackDepth"""
FORWARD = """SELECT f.rowid, n.value, f.callchainId FROM PYTORCH_API f LEFT JOIN STRING_IDS n ON n.id = f.name
WHERE f.type = 50001 AND f.fwdThreadId = 0 AND f.sequenceNumber = {0}
AND f.callchainId IS NOT NULL ORDER BY CAST(f.startNs AS INTEGER) DESC LIMIT 1"""
KERNELS = """SELECT t.startNs, t.endNs, t.streamId, coalesce(k.value, co.value, tt.value) FROM PYTORCH_API p
JOIN CONNECTION_IDS ci ON ci.id = p.connectionId JOIN TASK t ON t.connectionId = ci.connectionId
LEFT JOIN COMPUTE_TASK_INFO cti ON cti.globalTaskId = t.globalTaskId LEFT JOIN STRING_IDS k ON k.id = cti.name
LEFT JOIN COMMUNICATION_OP cop ON cop.connectionId = t.connectionId LEFT JOIN STRING_IDS co ON co.id = cop.opName
LEFT JOIN STRING_IDS tt ON tt.id = t.taskType WHERE p.rowid = {0} ORDER BY ci.connectionId, t.rowid"""
GRAPH_ENGINE = """WITH ev AS (SELECT n.operatorName op, n.addr, n.deviceId d, n.size, n.timestampNs t, s.value kind
FROM NPU_OP_MEM n JOIN STRING_IDS s ON s.id = n.type)
SELECT a.op, a.addr, a.size, a.t, (SELECT min(b.t) FROM ev b WHERE b.kind = 'release' AND b.addr = a.addr AND b.op = a.op AND b.d = a.d
AND b.t >= a.t) FROM ev a WHERE a.kind = 'allocate' ORDER BY a.t, a.addr"""
STEPS = """SELECT n.value, CAST(p.startNs AS INTEGER), CAST(p.endNs AS INTEGER) FROM PYTORCH_API p JOIN STRING_IDS n ON n.id = p.name
WHERE n.value LIKE 'ProfilerStep#%' ORDER BY 2"""
