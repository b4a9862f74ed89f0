#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/state_parts.h"
#include "core/analysis/compare/compare.h"

/// The rows of a comparison as a table. Independent of the GUI.
namespace snapviewer {

enum class ComparedBox : std::uint8_t { only_a, both, only_b };
inline constexpr std::array k_compared_boxes = {ComparedBox::only_a, ComparedBox::both, ComparedBox::only_b};

const char* compared_box_name(ComparedBox box);   ///< name of a box in JSON, such as "only_a"
const char* compared_box_words(ComparedBox box);  ///< name of a box for the user, such as "Only in A"
const std::vector<compare::PeakComparison::Row>& rows_of(const compare::PeakComparison& peaks, ComparedBox box);

enum class ComparedColumn : std::uint8_t { source, box, bytes_a, bytes_b, delta, count_a, count_b };

struct ComparedColumnInfo {
    TableColumn header;
    std::string (*shown)(const compare::PeakComparison::Row& row, ComparedBox box);
    std::uint64_t (*number)(const compare::PeakComparison::Row& row,
                            ComparedBox box) = nullptr;  ///< numeric sort key of the column; null to sort by its text
};
/// The columns of the comparison table, indexed by ComparedColumn.
std::span<const ComparedColumnInfo> compared_columns();

/// Location of a table row in the comparison.
struct ComparedPlace {
    ComparedBox box = ComparedBox::both;
    std::uint32_t row = 0;  ///< index of the row among the rows of its box
};

/// Filter and sort order of the comparison table. Differences are sorted by magnitude, ignoring their sign.
struct ComparedOrder {
    std::optional<ComparedBox> only;  ///< the only box to show; nullopt for all boxes
    ComparedColumn by = ComparedColumn::delta;
    bool is_descending = true;
    bool operator==(const ComparedOrder&) const = default;
};

/// Filters and sorts the rows of a comparison. Rows with an equal value in the sort column keep their order. O(n log n).
std::vector<ComparedPlace> arrange(const compare::PeakComparison& peaks, const ComparedOrder& order);

}  // namespace snapviewer
