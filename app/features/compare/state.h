#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/compare/compare_rows.h"
#include "app/features/timeline/projection.h"
#include "app/ui/long_work.h"
#include "core/analysis/aligned_curves.h"
#include "core/analysis/compare.h"
#include "core/base/ids.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

class ComparedPicture;
struct Document;
struct ShownComparison;

enum class ComparedSide : std::uint8_t { a, b };

/// An allocation of one of both.
struct ComparedAllocation {
    ComparedSide side = ComparedSide::a;
    AllocationId id;
    bool operator==(const ComparedAllocation&) const = default;
};

/// The pictures of both recordings under one another, between two frames. Places on their axis are steps of A.
struct ComparedPicturesState {
    std::shared_ptr<const ComparedPicture> made;        ///< null until B's is there
    std::shared_ptr<const AlignedCurves> moved_curves;  ///< with B moved by hand; null while it is not
    double later_steps = 0;                             ///< by how much B is moved
    View view;                                          ///< of both
    std::optional<double> cursor;                       ///< the place under the mouse
    std::optional<ComparedAllocation> hovered, chosen;
    bool is_dragging = false;
    bool moves_b = false;  ///< the drag does, not the view
    View pressed_view;     ///< when the button went down
    double pressed_later_steps = 0;
    Projection projection_a, projection_b;  ///< where they were drawn last
    std::string error;                      ///< why B cannot be drawn
};

/// The window of a comparison between two frames. A is what is open, B another file or another device of the same.
struct CompareState {
    bool is_open = false;
    std::string path;                       ///< of B; empty before one was chosen
    std::shared_ptr<const Document> other;  ///< B, once it is open
    std::size_t device_b = 0;               ///< of `other`
    CompareBy by = CompareBy::source;
    CompareBasis basis = CompareBasis::all;
    std::shared_ptr<const ShownComparison> shown;  ///< what was asked last, once it is there
    ComparedOrder order;                           ///< of the table
    std::vector<ComparedPlace> places;             ///< of `arranged`, in `arranged_by`
    const ShownComparison* arranged = nullptr;
    ComparedOrder arranged_by;
    std::string chosen_key;                 ///< of the row whose allocations stand out
    std::string lit_name;                   ///< what stands out in both pictures is called so; empty while nothing does
    std::shared_ptr<const Emphasis> lit_b;  ///< what of B stands out; null while nothing does
    ComparedPicturesState pictures;
    LongWork work;
    bool is_focused = false;   ///< the keyboard is in its window
    float width_share = 0.5F;  ///< of the program's window, while it stands in the place of the details
};

}  // namespace snapviewer
