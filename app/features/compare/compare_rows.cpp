#include "app/features/compare/compare_rows.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace snapviewer {
namespace {

using Row = PeakComparison::Row;

/// What a row is sorted by; texts are compared by themselves.
std::uint64_t sort_number(const Row& row, ComparedBox box, ComparedColumn column) {
    switch (column) {
        case ComparedColumn::source: return 0;
        case ComparedColumn::box: return static_cast<std::uint64_t>(box);
        case ComparedColumn::bytes_a: return row.bytes_a;
        case ComparedColumn::bytes_b: return row.bytes_b;
        case ComparedColumn::delta: return static_cast<std::uint64_t>(std::abs(row.delta_bytes()));
        case ComparedColumn::count_a: return row.count_a;
        case ComparedColumn::count_b: return row.count_b;
    }
    return 0;
}

}  // namespace

const char* compared_box_name(ComparedBox box) {
    switch (box) {
        case ComparedBox::only_a: return "only_a";
        case ComparedBox::both: return "both";
        case ComparedBox::only_b: return "only_b";
    }
    return "";
}

const char* compared_box_words(ComparedBox box) {
    switch (box) {
        case ComparedBox::only_a: return "Only in A";
        case ComparedBox::both: return "In both";
        case ComparedBox::only_b: return "Only in B";
    }
    return "";
}

const std::vector<Row>& rows_of(const PeakComparison& peaks, ComparedBox box) {
    switch (box) {
        case ComparedBox::only_a: return peaks.only_a;
        case ComparedBox::both: return peaks.both;
        case ComparedBox::only_b: break;
    }
    return peaks.only_b;
}

std::vector<ComparedPlace> arrange(const PeakComparison& peaks, const ComparedOrder& order) {
    std::vector<ComparedPlace> places;
    for (const ComparedBox box : k_compared_boxes) {
        if (order.only && order.only != box) continue;
        for (std::uint32_t row = 0; row < rows_of(peaks, box).size(); ++row) places.push_back({box, row});
    }
    const auto row_at = [&](const ComparedPlace& place) -> const Row& { return rows_of(peaks, place.box)[place.row]; };
    std::ranges::stable_sort(places, [&](const ComparedPlace& a, const ComparedPlace& b) {
        const ComparedPlace& first = order.is_descending ? b : a;
        const ComparedPlace& second = order.is_descending ? a : b;
        if (order.by == ComparedColumn::source) return row_at(first).source < row_at(second).source;
        return sort_number(row_at(first), first.box, order.by) < sort_number(row_at(second), second.box, order.by);
    });
    return places;
}

}  // namespace snapviewer
