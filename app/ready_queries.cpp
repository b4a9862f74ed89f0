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

}  // namespace

std::span<const ReadyQuery> ready_queries() { return k_queries; }

}  // namespace snapviewer
