#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/features/session.h"
#include "app/features/table/allocation_rows.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"

namespace snapviewer {
class DataTable;
}  // namespace snapviewer

namespace snapviewer::table {

/// State of the table of allocations.
struct AllocationListState {
    bool is_open = false;
    RowArrangement wanted;                         ///< filters and order that the user asked for, without `among`
    bool only_hits = false;                        ///< restrict the rows to the results of the current search
    std::shared_ptr<const AllocationRows> rows;    ///< cells of the table on the screen; null until they are ready
    std::shared_ptr<const ArrangedRows> arranged;  ///< the filtered and sorted rows
    RowArrangement shown;                          ///< filters and order of `arranged`
    ChosenColumns columns = {};                    ///< visible columns
    std::optional<std::size_t> row;                ///< row index of the selected allocation, if the table contains it
};

/// The table of allocations, a window over the panels. Worker threads sort, filter and write its rows; the previous rows
/// stay on the screen until the new ones are ready. Main thread.
class AllocationList : public Feature {
public:
    /// Keeps a reference, which must outlive this object.
    explicit AllocationList(Session& session) : session_(session) {}

    /// Called every frame: starts work when the picture, the search or the user's sorting and filters change, and takes
    /// results.
    void update() override;
    /// True while work runs, or if the user has asked for other rows since the last update().
    bool is_busy() const override {
        return arranging_.is_busy() || writing_.is_busy() || wanted_rows() != arranging_.input();
    }
    void connect(Switchboard& board) override;

    const AllocationListState& state() const { return state_; }
    /// True while rows are being filtered and sorted.
    bool is_arranging() const { return arranging_.is_busy(); }

private:
    /// The rows of a table: allocations of a timeline, filtered and in some order.
    struct WantedRows {
        std::shared_ptr<const Timeline> timeline;
        RowArrangement arrangement;
        bool operator==(const WantedRows&) const = default;
    };
    struct ArrangedTable {
        std::shared_ptr<const AllocationRows> rows;
        std::shared_ptr<const ArrangedRows> arranged;
        RowArrangement arrangement;
    };
    struct WrittenRows {
        std::string path;  ///< path of the CSV file; empty if the rows are for the clipboard
        std::string text;
        std::size_t count = 0;
    };

    /// The rows that the table has to show; nullopt while it is closed.
    std::optional<WantedRows> wanted_rows() const;
    void follow();
    void take_written();
    /// Starts to write the current rows and columns to a CSV file, or to the clipboard if `path` is empty.
    void write(const std::string& path);

    void draw(Requests& requests);
    void draw_tools(Requests& requests);
    void draw_columns_popup();
    void draw_table(Requests& requests);
    void draw_filters();
    void draw_row(const DataTable& table, std::size_t row, Requests& requests);
    void draw_row_menu(AllocationId id, Requests& requests);
    void update_columns();
    void find_selected_row();
    void follow_keys(const DataTable& table, Requests& requests);
    std::string rows_text() const;

    Session& session_;
    AllocationListState state_;
    bool is_focused_ = false;
    bool has_new_rows_ = false;                  ///< `state_.arranged` was replaced since the last frame
    std::optional<std::size_t> toggled_column_;  ///< column whose visibility is toggled in the next frame
    AllocationId selected_;                      ///< allocation selected in the previous frame
    bool scroll_to_row_ = false;
    std::string save_path_;
    BackgroundTask<ArrangedTable, WantedRows> arranging_;
    BackgroundTask<WrittenRows> writing_;
};

}  // namespace snapviewer::table
