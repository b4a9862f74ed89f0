#include "app/ready_queries.h"

#include <array>

namespace snapviewer {
namespace {

constexpr std::array k_queries = {
    ReadyQuery{"Largest allocations", "The hundred largest, with where they came from.",
               "SELECT idx, size, start_time, end_time, callstack\n"
               "FROM allocs\n"
               "ORDER BY size DESC\n"
               "LIMIT 100",
               nullptr},
    ReadyQuery{"Alive at the peak", "What held memory when the most of it was in use, largest first.",
               "WITH peak AS (SELECT device, step, max(allocated) AS bytes FROM totals GROUP BY device)\n"
               "SELECT a.id, a.size, a.alloc_step, a.free_step, s.text AS callstack\n"
               "FROM allocations a JOIN peak p ON p.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.alloc_step <= p.step AND (a.free_step IS NULL OR a.free_step > p.step)\n"
               "ORDER BY a.size DESC",
               nullptr},
    ReadyQuery{"Bytes by stack alive at the peak", "Which lines of code held the memory of the peak.",
               "WITH peak AS (SELECT device, step, max(allocated) AS bytes FROM totals GROUP BY device)\n"
               "SELECT sum(a.size) AS bytes, count(*) AS allocations, s.text AS callstack\n"
               "FROM allocations a JOIN peak p ON p.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.alloc_step <= p.step AND (a.free_step IS NULL OR a.free_step > p.step)\n"
               "GROUP BY a.stack_id\n"
               "ORDER BY bytes DESC",
               nullptr},
    ReadyQuery{"Waiting for another stream", "Memory that was freed but not given back at once, longest first.",
               "SELECT p.allocation_id, p.size, p.requested_step, p.completed_step,\n"
               "       duration(p.completed_time_us - p.requested_time_us) AS waited, s.text AS callstack\n"
               "FROM pending_frees p JOIN allocations a ON a.id = p.allocation_id LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "ORDER BY p.completed_time_us - p.requested_time_us DESC",
               nullptr},
    ReadyQuery{"Fragmentation by pool", "What is reserved and idle at the end, and the largest piece of it.",
               "SELECT device, pool, is_private, segments, human(reserved) AS reserved, human(active) AS active,\n"
               "       holes, human(hole_bytes) AS idle, human(largest_hole) AS largest_hole\n"
               "FROM pools\n"
               "ORDER BY hole_bytes DESC",
               nullptr},
    ReadyQuery{"Out of memory", "What was asked for, what was left, and whether a hole would have been enough.",
               "SELECT m.device, m.step, wall_clock(m.time_us) AS at, human(m.bytes) AS requested,\n"
               "       human(m.device_free) AS free_on_driver, human(m.reserved) AS reserved, human(m.unused) AS unused,\n"
               "       human(m.largest_hole) AS largest_hole, s.text AS callstack\n"
               "FROM markers m JOIN events e ON e.id = m.event_id LEFT JOIN stacks s ON s.id = e.stack_id\n"
               "WHERE m.kind = 'oom'",
               nullptr},
    ReadyQuery{
        "Growth from step to step", "What each profiler step allocated and left behind.",
        "SELECT r.name, human(sum(a.size)) AS allocated,\n"
        "       human(sum(CASE WHEN a.free_step IS NULL OR a.free_step > r.end_step THEN a.size ELSE 0 END)) AS "
        "left_behind\n"
        "FROM ranges r JOIN allocations a ON a.device = r.device AND a.alloc_step BETWEEN r.start_step AND r.end_step\n"
        "WHERE r.name LIKE 'ProfilerStep#%' AND a.origin = 'alloc'\n"
        "GROUP BY r.id",
        nullptr},
    ReadyQuery{"Stacks containing ...", "Allocations made through a function or file; put its name between the % signs.",
               "SELECT idx, size, start_time, end_time, callstack\n"
               "FROM allocs\n"
               "WHERE callstack LIKE '%forward%'\n"
               "ORDER BY size DESC",
               "forward"},
    ReadyQuery{"Never freed", "What was still there at the end, by stack.",
               "SELECT sum(a.size) AS bytes, count(*) AS allocations, s.text AS callstack\n"
               "FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.free_step IS NULL\n"
               "GROUP BY a.stack_id\n"
               "ORDER BY bytes DESC",
               nullptr},
    ReadyQuery{"Import log", "What was odd about the file.", "SELECT * FROM import_log", nullptr},
};

// file.stack_frames are the report's own frames; stack_frames are ours.
constexpr std::array k_memory_report = {
    ReadyQuery{"Bytes by source line", "Which lines keep most: weights with their gradients, and activations.",
               "SELECT sum(size) AS bytes, count(*) AS allocations, category, callstack\n"
               "FROM (SELECT a.size, a.category, s.text AS callstack\n"
               "      FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id)\n"
               "GROUP BY category, callstack\n"
               "ORDER BY bytes DESC",
               nullptr},
    ReadyQuery{"Activations in forward order", "What each operation keeps for the backward pass, with its frames.",
               "SELECT a.id, a.operation_name, a.size_bytes, f.ordering, f.file_path, f.line_number\n"
               "FROM activation_entries a\n"
               "LEFT JOIN stack_correlation c ON c.entry_type = 2 AND c.entry_id = a.id\n"
               "LEFT JOIN file.stack_frames f ON f.correlation_id = c.correlation_id\n"
               "ORDER BY a.id DESC, f.ordering",
               nullptr},
    ReadyQuery{"Bytes by operation", "Which kinds of operations keep most.",
               "SELECT operation_name, count(*) AS operations, sum(size_bytes) AS bytes\n"
               "FROM activation_entries\n"
               "GROUP BY operation_name\n"
               "ORDER BY bytes DESC",
               nullptr},
};

constexpr std::array k_run_time_report = {
    ReadyQuery{"Slowest forward", "The operations that take longest on the way forward.",
               "SELECT e.id, e.operation_name, e.forward_ms, e.backward_ms, f.file_path, f.line_number\n"
               "FROM run_time_entries e LEFT JOIN file.stack_frames f ON f.entry_id = e.id AND f.ordering = 0\n"
               "ORDER BY e.forward_ms DESC\n"
               "LIMIT 100",
               nullptr},
    ReadyQuery{"Slowest backward", "The operations that take longest on the way back.",
               "SELECT e.id, e.operation_name, e.backward_ms, e.forward_ms, f.file_path, f.line_number\n"
               "FROM run_time_entries e LEFT JOIN file.stack_frames f ON f.entry_id = e.id AND f.ordering = 0\n"
               "ORDER BY e.backward_ms DESC\n"
               "LIMIT 100",
               nullptr},
    ReadyQuery{"Time by source line", "Which lines take longest, both passes together.",
               "SELECT f.file_path, f.line_number, count(*) AS operations, sum(e.forward_ms) AS forward_ms,\n"
               "       sum(e.backward_ms) AS backward_ms, sum(e.forward_ms) + total(e.backward_ms) AS sum_ms\n"
               "FROM run_time_entries e LEFT JOIN file.stack_frames f ON f.entry_id = e.id AND f.ordering = 0\n"
               "GROUP BY f.file_path, f.line_number\n"
               "ORDER BY sum_ms DESC",
               nullptr},
};

}  // namespace

std::span<const ReadyQuery> ready_queries_of(std::string_view kind) {
    if (kind == "memory_report") return k_memory_report;
    if (kind == "run_time_report") return k_run_time_report;
    return {};
}

std::span<const ReadyQuery> ready_queries() { return k_queries; }

}  // namespace snapviewer
