#pragma once

#include <memory>
#include <string>

#include "app/features/app_state.h"
#include "app/features/table/table_tasks.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The table of allocations while it is open: has its rows arranged and written on threads of their own. What is on the
/// screen stays until other rows are there.
class AllocationList : public Feature {
public:
    /// `state` outlives this.
    explicit AllocationList(AppState& state) : state_(state) {}

    /// Every frame: follows the picture, the search and what the user wants.
    void update() override;
    /// The rows and columns on the screen, as CSV.
    void save(const std::string& path);
    /// The same into the clipboard, cells apart by tabs.
    void copy();
    /// Also while something was asked for that update() has not seen yet.
    bool is_busy() const override { return arranging_.is_busy() || writing_.is_busy() || wants_other_rows(); }
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    std::shared_ptr<const Timeline> wanted_timeline() const;
    RowArrangement wanted_arrangement() const;
    bool wants_other_rows() const;
    void follow();
    void forget();
    void take_written();
    void write(const std::string& path);

    AppState& state_;
    Job<ArrangedTable> arranging_;
    Job<WrittenRows> writing_;
    std::shared_ptr<const Timeline> timeline_;  ///< whose rows were asked for
    RowArrangement asked_;
};

}  // namespace snapviewer
