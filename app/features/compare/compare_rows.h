#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/table_column.h"
#include "core/analysis/compare.h"

/// The rows of a comparison as a table. No GUI in here.
namespace snapviewer {

enum class ComparedBox : std::uint8_t { only_a, both, only_b };
inline constexpr std::array k_compared_boxes = {ComparedBox::only_a, ComparedBox::both, ComparedBox::only_b};

const char* compared_box_name(ComparedBox box);   ///< "only_a", as in the JSON
const char* compared_box_words(ComparedBox box);  ///< "Only in A"
const std::vector<PeakComparison::Row>& rows_of(const PeakComparison& peaks, ComparedBox box);

enum class ComparedColumn : std::uint8_t { source, box, bytes_a, bytes_b, delta, count_a, count_b };

struct ComparedColumnInfo {
    TableColumn header;
    std::string (*shown)(const PeakComparison::Row& row, ComparedBox box);
    std::uint64_t (*number)(const PeakComparison::Row& row,
                            ComparedBox box) = nullptr;  ///< it is sorted by; none: by its text
};
/// By ComparedColumn.
std::span<const ComparedColumnInfo> compared_columns();

/// Where a row of the table is found.
struct ComparedPlace {
    ComparedBox box = ComparedBox::both;
    std::uint32_t row = 0;  ///< of its box
};

/// What of a comparison is in the table, and in which order. Differences go by their amount, whatever their sign.
struct ComparedOrder {
    std::optional<ComparedBox> only;  ///< all boxes unless given
    ComparedColumn by = ComparedColumn::delta;
    bool is_descending = true;
    bool operator==(const ComparedOrder&) const = default;
};

/// Rows that are alike in that column stay in the order of the comparison. O(n log n).
std::vector<ComparedPlace> arrange(const PeakComparison& peaks, const ComparedOrder& order);

}  // namespace snapviewer
