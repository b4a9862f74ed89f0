#pragma once

#include <memory>
#include <string>

#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/table/allocation_rows.h"
#include "app/features/table/state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The table of allocations. Worker threads sort, filter and write its rows; the previous rows stay on the screen until the
/// new ones are ready. Main thread.
class AllocationList : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit AllocationList(Session& session) : session_(session) {}

    /// Called every frame: starts jobs when the picture, the search or the user's sorting and filters change, and takes
    /// results.
    void update() override;
    /// Starts to write the current rows and columns to a CSV file.
    void save(const std::string& path);
    /// Starts to copy the current rows and columns to the clipboard, with cells separated by tabs.
    void copy();
    /// True while a job runs, or if the user has asked for other rows since the last update().
    bool is_busy() const override { return arranging_.is_busy() || writing_.is_busy() || wants_other_rows(); }
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void draw(Requests& requests);
    std::shared_ptr<const Timeline> wanted_timeline() const;
    RowArrangement wanted_arrangement() const;
    bool wants_other_rows() const;
    void follow();
    void forget();
    void take_written();
    void write(const std::string& path);

    Session& session_;
    Job<ArrangedTable> arranging_;
    Job<WrittenRows> writing_;
    std::shared_ptr<const Timeline> timeline_;  ///< timeline whose rows were requested
    RowArrangement asked_;
};

struct AllocationTableScene {
    AllocationId selected;
    bool has_hits = false;  ///< the current search has results
    std::string file;       ///< path of the open file; the default name of the CSV file derives from it
};

/// Draws a window over the panels while it is open. A click on a row asks to select its allocation and to bring it into
/// view. Cost per frame: the visible rows, independent of the number of rows; O(all rows) when the selection has changed.
void draw_allocation_table(AllocationTableState& state, const AllocationTableScene& scene, Requests& requests);

}  // namespace snapviewer
