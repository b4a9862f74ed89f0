#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/compare/compare_rows.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/state_parts.h"
#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/curves.h"
#include "core/timeline/emphasis.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

class ComparedPicture;
struct Document;
struct ShownComparison;

enum class ComparedSide : std::uint8_t { a, b };

/// An allocation of A or B.
struct ComparedAllocation {
    ComparedSide side = ComparedSide::a;
    AllocationId id;
    bool operator==(const ComparedAllocation&) const = default;
};

/// State of the two timelines of a comparison that persists between frames. Positions on their axis are steps of A.
struct ComparedPicturesState {
    std::shared_ptr<const ComparedPicture> made;  ///< the timeline of B; null until it is computed
    std::shared_ptr<const compare::AlignedCurves>
        moved_curves;              ///< the curves with B shifted by the user; null if it is not shifted
    double later_steps = 0;        ///< shift of B, in steps of A
    View view;                     ///< visible part of both timelines
    std::optional<double> cursor;  ///< position under the mouse on the shared axis
    std::optional<ComparedAllocation> hovered, chosen;
    bool is_dragging = false;
    bool moves_b = false;  ///< true if the current drag shifts B instead of panning
    View pressed_view;     ///< the view when the mouse button was pressed
    double pressed_later_steps = 0;
    Projection projection_a, projection_b;  ///< projections of the last drawn frame
    std::string error;                      ///< the reason why B cannot be drawn; empty if it can
};

/// State of the comparison window that persists between frames. A is a device of the open file; B is a device of another
/// file, or another device of the same file.
struct CompareState {
    bool is_open = false;
    std::string path;                       ///< path of B's file; empty until one is chosen
    std::shared_ptr<const Document> other;  ///< the document of B; null until it is open
    std::size_t device_b = 0;               ///< index of device B in `other`
    compare::CompareBy by = compare::CompareBy::source;
    compare::CompareBasis basis = compare::CompareBasis::all;
    std::shared_ptr<const ShownComparison> shown;  ///< the last finished comparison; null before the first
    ComparedOrder order;                           ///< filter and sort order of the comparison table
    std::vector<ComparedPlace> places;             ///< rows of the comparison `arranged`, in the order `arranged_by`
    const ShownComparison* arranged = nullptr;
    ComparedOrder arranged_by;
    std::string chosen_key;                 ///< key of the row whose allocations are highlighted
    std::string lit_name;                   ///< name of the highlight in both timelines; empty for none
    std::shared_ptr<const Emphasis> lit_b;  ///< the highlighted allocations of B; null for no highlight
    ComparedPicturesState pictures;
    LongWork work;
    float width_share = 0.5F;  ///< width of the comparison as a fraction of the main window, while it replaces the details
};

}  // namespace snapviewer
