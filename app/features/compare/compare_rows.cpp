#include <algorithm>
#include <cstdlib>

#include "app/features/compare/compare.h"
#include "core/base/text.h"

namespace snapviewer::compare {
namespace {

using Row = PeakComparison::Row;

struct BoxInfo {
    const char* name;
    const char* words;
    const char* letters;  ///< words in the table
    std::vector<Row> PeakComparison::*rows;
};
/// The boxes, indexed by ComparedBox.
constexpr std::array k_boxes = {BoxInfo{"only_a", "Only in A", "A", &PeakComparison::only_a},
                                BoxInfo{"both", "In both", "both", &PeakComparison::both},
                                BoxInfo{"only_b", "Only in B", "B", &PeakComparison::only_b}};
const BoxInfo& info_of(ComparedBox box) { return k_boxes[static_cast<std::size_t>(box)]; }

std::string amount(std::uint64_t bytes) { return bytes == 0 ? "-" : format_bytes(bytes); }
std::string number(std::uint64_t count) { return count == 0 ? "-" : format_count(count); }

constexpr std::array<ComparedColumnInfo, 7> k_table_columns = {{
    {.header = {.title = "Source", .name = "source", .doc = "The line that stands for the stack"},
     .shown = [](const Row& row, ComparedBox) { return row.source; }},
    {.header = {.title = "In", .name = "box", .width_px = 52, .doc = "Which recording holds it at its peak"},
     .shown = [](const Row&, ComparedBox box) { return std::string(info_of(box).letters); },
     .number = [](const Row&, ComparedBox box) { return static_cast<std::uint64_t>(box); }},
    {.header = {.title = "A", .name = "bytes_a", .width_px = 84, .doc = "Bytes it held at A's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return amount(row.bytes_a); },
     .number = [](const Row& row, ComparedBox) { return row.bytes_a; }},
    {.header = {.title = "B", .name = "bytes_b", .width_px = 84, .doc = "Bytes it held at B's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return amount(row.bytes_b); },
     .number = [](const Row& row, ComparedBox) { return row.bytes_b; }},
    {.header = {.title = "Difference",
                .name = "delta",
                .width_px = 96,
                .doc = "B minus A; largest change first, whether more or less",
                .largest_first = true,
                .is_sorted_first = true},
     .shown = [](const Row& row, ComparedBox) { return format_difference(row.delta_bytes()); },
     .number = [](const Row& row, ComparedBox) { return static_cast<std::uint64_t>(std::abs(row.delta_bytes())); }},
    {.header =
         {.title = "# in A", .name = "count_a", .width_px = 64, .doc = "Allocations at A's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return number(row.count_a); },
     .number = [](const Row& row, ComparedBox) { return std::uint64_t{row.count_a}; }},
    {.header =
         {.title = "# in B", .name = "count_b", .width_px = 64, .doc = "Allocations at B's peak", .largest_first = true},
     .shown = [](const Row& row, ComparedBox) { return number(row.count_b); },
     .number = [](const Row& row, ComparedBox) { return std::uint64_t{row.count_b}; }},
}};

}  // namespace

std::span<const ComparedColumnInfo> compared_columns() { return k_table_columns; }

const char* compared_box_name(ComparedBox box) { return info_of(box).name; }
const char* compared_box_words(ComparedBox box) { return info_of(box).words; }
const std::vector<Row>& rows_of(const PeakComparison& peaks, ComparedBox box) { return peaks.*info_of(box).rows; }

std::vector<ComparedPlace> arrange(const PeakComparison& peaks, const ComparedOrder& order) {
    std::vector<ComparedPlace> places;
    for (const ComparedBox box : k_compared_boxes) {
        if (order.only && order.only != box) continue;
        for (std::uint32_t row = 0; row < rows_of(peaks, box).size(); ++row) places.push_back({box, row});
    }
    const auto row_at = [&](const ComparedPlace& place) -> const Row& { return rows_of(peaks, place.box)[place.row]; };
    const ComparedColumnInfo& column = k_table_columns[static_cast<std::size_t>(order.by)];
    std::ranges::stable_sort(places, [&](const ComparedPlace& a, const ComparedPlace& b) {
        const ComparedPlace& first = order.is_descending ? b : a;
        const ComparedPlace& second = order.is_descending ? a : b;
        if (column.number == nullptr) return row_at(first).source < row_at(second).source;
        return column.number(row_at(first), first.box) < column.number(row_at(second), second.box);
    });
    return places;
}

}  // namespace snapviewer::compare
