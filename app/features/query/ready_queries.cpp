#include "app/features/query/ready_queries.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "app/features/query/sql_text.h"
#include "core/base/text.h"

namespace snapviewer::query {
namespace {

const std::array k_queries = {
    ReadyQuery{"Largest allocations", "The hundred largest, and where they came from.",
               "SELECT idx, size, start_time, end_time, callstack\n"
               "FROM allocs\n"
               "ORDER BY size DESC\n"
               "LIMIT 100"},
    ReadyQuery{"Alive at the peak", "What held memory when most of it was in use, largest first.",
               "WITH peak AS (SELECT device, step, max(allocated) AS bytes FROM totals GROUP BY device)\n"
               "SELECT a.id, a.size, a.alloc_step, a.free_step, a.origin, s.text AS callstack\n"
               "FROM allocations a JOIN peak p ON p.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.alloc_step <= p.step AND (a.free_step IS NULL OR a.free_step > p.step)\n"
               "ORDER BY a.size DESC"},
    ReadyQuery{"Bytes by stack alive at the peak", "Which lines of code held the memory of the peak.",
               "WITH peak AS (SELECT device, step, max(allocated) AS bytes FROM totals GROUP BY device)\n"
               "SELECT sum(a.size) AS bytes, count(*) AS allocations,\n"
               "       iif(a.origin = 'freed', 'allocated before the recording', s.text) AS callstack\n"
               "FROM allocations a JOIN peak p ON p.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.alloc_step <= p.step AND (a.free_step IS NULL OR a.free_step > p.step)\n"
               "GROUP BY iif(a.origin = 'freed', -1, a.stack_id)\n"
               "ORDER BY bytes DESC"},
    ReadyQuery{"Waiting for another stream", "Memory that was freed but not available again at once, longest first.",
               "SELECT p.allocation_id, p.size, p.requested_step, p.completed_step,\n"
               "       duration(p.completed_time_us - p.requested_time_us) AS waited, s.text AS callstack\n"
               "FROM pending_frees p JOIN allocations a ON a.id = p.allocation_id LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "ORDER BY p.completed_time_us - p.requested_time_us DESC"},
    ReadyQuery{"Fragmentation by pool", "What is reserved but idle at the end, and its largest piece.",
               "SELECT device, pool, is_private, segments, human(reserved) AS reserved, human(active) AS active,\n"
               "       holes, human(hole_bytes) AS idle, human(largest_hole) AS largest_hole\n"
               "FROM pools\n"
               "ORDER BY hole_bytes DESC"},
    ReadyQuery{"Out of memory", "What was requested, what was free, and whether a hole would have been large enough.",
               "SELECT m.device, m.step, wall_clock(m.time_us) AS at, human(m.bytes) AS requested,\n"
               "       human(m.device_free) AS free_on_driver, human(m.reserved) AS reserved, human(m.unused) AS unused,\n"
               "       human(m.largest_hole) AS largest_hole, s.text AS callstack\n"
               "FROM markers m JOIN events e ON e.id = m.event_id LEFT JOIN stacks s ON s.id = e.stack_id\n"
               "WHERE m.kind = 'oom'"},
    ReadyQuery{"Growth from step to step", "What each profiler step allocated and left behind.",
               "SELECT r.name, human(total(a.size)) AS allocated,\n"
               "       human(total(a.size) FILTER (WHERE a.free_step IS NULL OR a.free_step > r.end_step)) AS left_behind\n"
               "FROM ranges r LEFT JOIN allocations a ON a.device = r.device AND a.origin = 'alloc'\n"
               "     AND a.alloc_step >= r.start_step AND a.alloc_step < r.end_step\n"
               "WHERE r.name LIKE 'ProfilerStep#%' AND r.start_step IS NOT NULL AND r.end_step IS NOT NULL\n"
               "GROUP BY r.id"},
    ReadyQuery{"Stacks containing ...", "Allocations made through a function or file; put its name between the % signs.",
               "SELECT idx, size, start_time, end_time, callstack\n"
               "FROM allocs\n"
               "WHERE callstack LIKE '%forward%'\n"
               "ORDER BY size DESC",
               "", "forward"},
    ReadyQuery{"Never freed", "What was still there at the end, by stack.",
               "SELECT sum(a.size) AS bytes, count(*) AS allocations, s.text AS callstack\n"
               "FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.free_step IS NULL\n"
               "GROUP BY a.stack_id\n"
               "ORDER BY bytes DESC"},
    ReadyQuery{"Recorded curves at their highest", "The highest value of each curve that a profiler recorded, and when.",
               "SELECT device, curve, human(max(bytes)) AS highest, wall_clock(time_us) AS at\n"
               "FROM memory_curves\n"
               "GROUP BY device, curve\n"
               "ORDER BY max(bytes) DESC"},
    ReadyQuery{"File notes", "What was odd about the file while it was read.", "SELECT * FROM import_log"},
};

// file.stack_frames is the table in the report's own database; stack_frames is this program's table.
const std::array k_profiler_queries = {
    ReadyQuery{"Bytes by source line", "Which lines keep most: weights with their gradients, and activations.",
               "SELECT sum(size) AS bytes, count(*) AS allocations, category, callstack\n"
               "FROM (SELECT a.size, a.category, s.text AS callstack\n"
               "      FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id)\n"
               "GROUP BY category, callstack\n"
               "ORDER BY bytes DESC",
               "activation_entries.size_bytes stack_correlation.entry_id"},
    ReadyQuery{"Activations in forward order", "What each operation keeps for the backward pass, with its frames.",
               "SELECT a.id, a.operation_name, a.size_bytes, f.ordering, f.file_path, f.line_number\n"
               "FROM activation_entries a\n"
               "LEFT JOIN stack_correlation c ON c.entry_type = 2 AND c.entry_id = a.id\n"
               "LEFT JOIN file.stack_frames f ON f.correlation_id = c.correlation_id\n"
               "ORDER BY a.id DESC, f.ordering",
               "activation_entries.size_bytes stack_correlation.entry_id"},
    ReadyQuery{"Bytes by operation", "Which kinds of operations keep most.",
               "SELECT operation_name, count(*) AS operations, sum(size_bytes) AS bytes\n"
               "FROM activation_entries\n"
               "GROUP BY operation_name\n"
               "ORDER BY bytes DESC",
               "activation_entries.size_bytes stack_correlation.entry_id"},
    ReadyQuery{"Slowest forward", "The operations that take longest in the forward pass.",
               "SELECT e.id, e.operation_name, e.forward_ms, e.backward_ms, f.file_path, f.line_number\n"
               "FROM run_time_entries e LEFT JOIN file.stack_frames f ON f.entry_id = e.id AND f.ordering = 0\n"
               "ORDER BY e.forward_ms DESC\n"
               "LIMIT 100",
               "run_time_entries.forward_ms"},
    ReadyQuery{"Slowest backward", "The operations that take longest in the backward pass.",
               "SELECT e.id, e.operation_name, e.backward_ms, e.forward_ms, f.file_path, f.line_number\n"
               "FROM run_time_entries e LEFT JOIN file.stack_frames f ON f.entry_id = e.id AND f.ordering = 0\n"
               "ORDER BY e.backward_ms DESC\n"
               "LIMIT 100",
               "run_time_entries.forward_ms"},
    ReadyQuery{"Time by source line", "Which lines take longest, forward and backward together.",
               "SELECT f.file_path, f.line_number, count(*) AS operations, sum(e.forward_ms) AS forward_ms,\n"
               "       sum(e.backward_ms) AS backward_ms, sum(e.forward_ms) + total(e.backward_ms) AS sum_ms\n"
               "FROM run_time_entries e LEFT JOIN file.stack_frames f ON f.entry_id = e.id AND f.ordering = 0\n"
               "GROUP BY f.file_path, f.line_number\n"
               "ORDER BY sum_ms DESC",
               "run_time_entries.forward_ms"},
    ReadyQuery{"Largest operators at the peak", "Which operations held the memory of the peak.",
               "WITH peak AS (SELECT device, step, max(allocated) AS bytes FROM totals GROUP BY device)\n"
               "SELECT human(sum(a.size)) AS held, count(*) AS blocks, s.text AS operation, a.category\n"
               "FROM allocations a JOIN peak p ON p.device = a.device LEFT JOIN stacks s ON s.id = a.stack_id\n"
               "WHERE a.alloc_step <= p.step AND (a.free_step IS NULL OR a.free_step > p.step)\n"
               "GROUP BY a.device, a.stack_id, a.category\n"
               "ORDER BY sum(a.size) DESC",
               "OP_MEMORY.name"},
    ReadyQuery{"Memory details", "Every block of the profile, as MindStudio Insight lists them.",
               "SELECT * FROM memory_details\nORDER BY size_kb DESC", "OP_MEMORY.name"},
    ReadyQuery{"Owners at the peak", "Who owned the memory at the peak, by kind.",
               "WITH peak AS (SELECT device, step, max(allocated) AS bytes FROM totals GROUP BY device)\n"
               "SELECT d.part AS kind, a.category AS owner, human(sum(a.size)) AS held, count(*) AS blocks\n"
               "FROM allocations a JOIN peak p ON p.device = a.device JOIN devices d ON d.device = a.device\n"
               "WHERE a.alloc_step <= p.step AND (a.free_step IS NULL OR a.free_step > p.step)\n"
               "GROUP BY a.device, a.category\n"
               "ORDER BY sum(a.size) DESC",
               "memory_events.owner"},
    ReadyQuery{"Fragmentation over time", "What the pool had reserved but not in use, over time.",
               "SELECT m.deviceId, wall_clock(m.timestamp / 1000) AS time, m.totalReserved - m.totalAllocated AS unused,\n"
               "       m.totalAllocated, m.totalReserved\n"
               "FROM MEMORY_RECORD m JOIN STRING_IDS s ON s.id = m.component\n"
               "WHERE s.value = 'PTA+GE'\n"
               "ORDER BY m.timestamp",
               "MEMORY_RECORD.timestamp STRING_IDS.value"},
    ReadyQuery{"Garbage collection in each step", "How often Python collected inside a step, and for how long.",
               "SELECT s.id AS step, count(g.startNs) AS collections,\n"
               "       sum(min(g.endNs, s.endNs) - max(g.startNs, s.startNs)) / 1e6 AS collecting_ms,\n"
               "       (s.endNs - s.startNs) / 1e6 AS step_ms\n"
               "FROM STEP_TIME s LEFT JOIN GC_RECORD g ON g.startNs < s.endNs AND g.endNs > s.startNs\n"
               "GROUP BY s.id ORDER BY s.id",
               "STEP_TIME.startNs GC_RECORD.startNs"},
    ReadyQuery{"PCIE traffic during the largest allocation", "Bytes per second to and from the host during its lifetime.",
               "WITH a AS (SELECT deviceId, allocationTime AS t0, coalesce(activeReleaseTime, releaseTime, 1 << 62) AS t1\n"
               "           FROM OP_MEMORY ORDER BY size DESC LIMIT 1)\n"
               "SELECT wall_clock(p.timestampNs / 1000) AS time, p.txPostAvg AS sent, p.rxPostAvg AS received\n"
               "FROM a JOIN PCIE p ON p.deviceId = a.deviceId AND p.timestampNs BETWEEN a.t0 AND a.t1\n"
               "ORDER BY p.timestampNs",
               "OP_MEMORY.allocationTime PCIE.txPostAvg"},
    ReadyQuery{"Network traffic during the largest allocation", "Bytes per second of each ROCE port during its lifetime.",
               "WITH a AS (SELECT deviceId, allocationTime AS t0, coalesce(activeReleaseTime, releaseTime, 1 << 62) AS t1\n"
               "           FROM OP_MEMORY ORDER BY size DESC LIMIT 1)\n"
               "SELECT wall_clock(r.timestampNs / 1000) AS time, r.funcId AS port, r.txByteRate AS sent, r.rxByteRate AS "
               "received\n"
               "FROM a JOIN ROCE r ON r.deviceId = a.deviceId AND r.timestampNs BETWEEN a.t0 AND a.t1\n"
               "ORDER BY r.timestampNs",
               "OP_MEMORY.allocationTime ROCE.rxByteRate"},
};

/// Common beginning of the joint queries: the allocations that are live at the peak of each file, with the keys of their
/// stacks, by which the two files are matched.
constexpr std::string_view k_both_peaks =
    "WITH held AS (\n"
    "  SELECT 'a' AS file, x.size, x.origin, x.stack_id, s.key, s.top_frame\n"
    "  FROM (SELECT * FROM a.devices ORDER BY peak_bytes DESC LIMIT 1) d JOIN a.allocations x ON x.device = d.device\n"
    "       LEFT JOIN a.stacks s ON s.id = x.stack_id\n"
    "  WHERE x.alloc_step <= d.peak_step AND (x.free_step IS NULL OR x.free_step > d.peak_step)\n"
    "  UNION ALL\n"
    "  SELECT 'b', x.size, x.origin, x.stack_id, s.key, s.top_frame\n"
    "  FROM (SELECT * FROM b.devices ORDER BY peak_bytes DESC LIMIT 1) d JOIN b.allocations x ON x.device = d.device\n"
    "       LEFT JOIN b.stacks s ON s.id = x.stack_id\n"
    "  WHERE x.alloc_step <= d.peak_step AND (x.free_step IS NULL OR x.free_step > d.peak_step)\n"
    "), keyed AS (\n"
    "  SELECT *, iif(origin = 'freed' OR (stack_id IS NULL AND origin <> 'alloc'), 'before', ifnull(key, 'none')) AS what\n"
    "  FROM held\n"
    ")\n";

/// Queries for the joint database of two files.
std::vector<ReadyQuery> joint_queries() {
    const std::string peaks(k_both_peaks);
    return {
        {"Difference by stack", "What each stack holds at the peaks of A and B, largest difference first.",
         peaks + "SELECT what AS key, min(top_frame) AS source,\n"
                 "       total(size) FILTER (WHERE file = 'b') - total(size) FILTER (WHERE file = 'a') AS delta,\n"
                 "       ifnull(sum(size) FILTER (WHERE file = 'a'), 0) AS bytes_a, count(*) FILTER (WHERE file = 'a') AS "
                 "count_a,\n"
                 "       ifnull(sum(size) FILTER (WHERE file = 'b'), 0) AS bytes_b, count(*) FILTER (WHERE file = 'b') AS "
                 "count_b\n"
                 "FROM keyed\n"
                 "GROUP BY what\n"
                 "ORDER BY abs(delta) DESC"},
        {"Only in B, by stack", "What is held at B's peak by stacks that hold nothing at A's.",
         peaks + "SELECT what AS key, min(top_frame) AS source, sum(size) AS bytes_b, count(*) AS count_b\n"
                 "FROM keyed\n"
                 "GROUP BY what HAVING count(*) FILTER (WHERE file = 'a') = 0\n"
                 "ORDER BY bytes_b DESC"}};
}

std::string_view table_of(std::string_view column) { return column.substr(0, column.find('.')); }

bool has_column(std::span<const sqlite::TableDoc> schema, std::string_view name) {
    const std::size_t dot = name.find('.');
    const auto table = std::ranges::find(schema, table_of(name), &sqlite::TableDoc::name);
    return table != schema.end() &&
           std::ranges::any_of(table->columns, [&](const ColumnDoc& column) { return column.name == name.substr(dot + 1); });
}

/// Replaces the schema name. The queries are written for a database with a single file.
void name_schema(std::string& sql, const std::string& schema) {
    constexpr std::string_view k_alone = "file.";
    for (std::size_t at = sql.find(k_alone); at != std::string::npos; at = sql.find(k_alone, at + schema.size()))
        sql.replace(at, k_alone.size(), schema + ".");
}

bool has_all(std::span<const sqlite::TableDoc> schema, std::string_view needs) {
    while (!needs.empty()) {
        const std::size_t end = std::min(needs.find(' '), needs.size());
        if (!has_column(schema, needs.substr(0, end))) return false;
        needs.remove_prefix(std::min(end + 1, needs.size()));
    }
    return true;
}

}  // namespace

std::vector<ReadyQuery> ready_queries_of(std::span<const sqlite::TableDoc> schema) {
    std::vector<ReadyQuery> answered;
    if (std::ranges::find(schema, "b.allocations", &sqlite::TableDoc::name) != schema.end()) answered = joint_queries();
    for (const ReadyQuery& query : k_profiler_queries) {
        if (!has_all(schema, query.needs)) continue;
        const auto table = std::ranges::find(schema, table_of(query.needs), &sqlite::TableDoc::name);
        answered.push_back(query);
        if (!table->schema.empty()) name_schema(answered.back().sql, table->schema);
    }
    return answered;
}

std::span<const ReadyQuery> ready_queries() { return k_queries; }

std::vector<QueryCard> ready_cards(std::span<const sqlite::TableDoc> schema) {
    std::vector<QueryCard> cards;
    const auto add = [&](const ReadyQuery& query) {
        QueryCard card{QueryCard::Source::ready, query.name, query.text, query.sql};
        if (query.edit != nullptr) {
            card.edit_begin = query.sql.find(query.edit);
            card.edit_end = card.edit_begin + std::string_view(query.edit).size();
        }
        cards.push_back(std::move(card));
    };
    for (const ReadyQuery& query : ready_queries_of(schema)) add(query);
    for (const ReadyQuery& query : ready_queries()) add(query);
    return cards;
}

PutQuery put_card(const QueryCard& card, bool runs) {
    const bool has_gap = card.edit_begin < card.edit_end;
    if (has_gap) return {card.sql, card.edit_begin, card.edit_end, false};
    return {card.sql, card.sql.size(), card.sql.size(), runs};
}

namespace {

QueryCard card_of(const std::string& sql, QueryCard::Source source, std::span<const QueryCard> ready) {
    const auto known = std::ranges::find(ready, sql, &QueryCard::sql);
    if (known == ready.end()) {
        QueryCard card{source, sql_comment(sql), "", sql};
        if (!card.name.empty()) card.named_end = past_sql_comment(sql, sql.find_first_of("-/"));
        return card;
    }
    QueryCard card = *known;
    card.source = source;
    return card;
}

bool has_all_words(const QueryCard& card, std::string_view wanted) {
    const std::string text = lower_case(card.name + '\n' + card.text + '\n' + card.sql);
    std::size_t begin = 0;
    while ((begin = wanted.find_first_not_of(' ', begin)) != wanted.npos) {
        const std::size_t end = std::min(wanted.find(' ', begin), wanted.size());
        if (text.find(lower_case(wanted.substr(begin, end - begin))) == text.npos) return false;
        begin = end;
    }
    return true;
}

}  // namespace

std::vector<QueryCard> query_cards(std::span<const std::string> saved, std::span<const std::string> history,
                                   std::span<const sqlite::TableDoc> schema, std::string_view wanted) {
    const std::vector<QueryCard> ready = ready_cards(schema);
    std::vector<QueryCard> cards;
    std::unordered_set<std::string> seen;
    const auto add = [&](const QueryCard& card) {
        if (seen.insert(card.sql).second && has_all_words(card, wanted)) cards.push_back(card);
    };
    for (const std::string& sql : saved) add(card_of(sql, QueryCard::Source::saved, ready));
    // A ready query that was run is listed with the ready queries, not in the history.
    for (auto sql = history.rbegin(); sql != history.rend(); ++sql) {
        if (std::ranges::find(ready, *sql, &QueryCard::sql) == ready.end())
            add(card_of(*sql, QueryCard::Source::history, ready));
    }
    for (const QueryCard& card : ready) add(card);
    return cards;
}

std::string query_name(std::string_view sql) {
    for (const ReadyQuery& query : ready_queries()) {
        if (query.sql == sql) return query.name;
    }
    return sql_title(sql);
}

const char* card_source_word(QueryCard::Source source) {
    constexpr std::array k_words = {"saved", "history", "ready"};
    return k_words[static_cast<std::size_t>(source)];
}

}  // namespace snapviewer::query
