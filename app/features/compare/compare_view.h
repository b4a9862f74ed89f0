#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/features/compare/compare_rows.h"
#include "app/features/compare/compared_pictures_view.h"
#include "app/features/requests.h"
#include "app/ui/long_work.h"
#include "app/ui/panel.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

struct Document;
struct ShownComparison;

/// The window of a comparison between two frames. A is what is open, B another file or another device of the same.
struct CompareState {
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

/// How two recordings differ at their peaks, in the place of the details, so that the picture stays in sight. `file_a` is
/// the path of what is open.
void draw_compare_window(CompareState& state, bool& is_open, const std::string& file_a, const Area& area,
                         const ComparedCanvases& canvases, Requests& requests);

}  // namespace snapviewer
