#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/features/files/files.h"
#include "app/features/requests.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"
#include "app/ui/texts.h"
#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/curves.h"
#include "core/document/document.h"
#include "core/timeline/emphasis.h"

namespace snapviewer::compare {

// Texts about a comparison of two recordings.

/// A sentence that compares the peaks, such as "B peaks 144.0 MiB higher than A."
std::string peaks_sentence(const Comparison& comparison);
/// Number of rows and their sums, such as "3 stacks, 12 allocations" or "2 sources, 5 -> 7 allocations".
std::string sums_words(std::size_t rows, const ComparedSums& sums, CompareBy by);
/// A sentence about how the curves of A and B are aligned.
std::string alignment_sentence(const Alignment& alignment, const steps::Steps& a, const steps::Steps& b);

/// A file argument of the `compare` command line.
struct ComparedFile {
    std::string path;
    std::optional<int> device;  ///< number of the device in the file; nullopt for the default device
};
/// The shell command that prints the same comparison.
std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, CompareBy by, CompareBasis basis);

// The rows of a comparison as a table.

enum class ComparedBox : std::uint8_t { only_a, both, only_b };
inline constexpr std::array k_compared_boxes = {ComparedBox::only_a, ComparedBox::both, ComparedBox::only_b};

const char* compared_box_name(ComparedBox box);   ///< name of a box in JSON, such as "only_a"
const char* compared_box_words(ComparedBox box);  ///< name of a box for the user, such as "Only in A"
const std::vector<PeakComparison::Row>& rows_of(const PeakComparison& peaks, ComparedBox box);

enum class ComparedColumn : std::uint8_t { source, box, bytes_a, bytes_b, delta, count_a, count_b };

struct ComparedColumnInfo {
    TableColumn header;
    std::string (*shown)(const PeakComparison::Row& row, ComparedBox box);
    /// Numeric sort key of the column; null to sort by the source lines.
    std::uint64_t (*number)(const PeakComparison::Row& row, ComparedBox box) = nullptr;
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
std::vector<ComparedPlace> arrange(const PeakComparison& peaks, const ComparedOrder& order);

/// A device of an open file.
struct OpenDevice {
    std::shared_ptr<const Document> document;
    std::size_t index = 0;
    bool operator==(const OpenDevice&) const = default;
    findings::DeviceAnalyses& analyses() const { return document->analyses->device(index); }
};

/// The devices to compare, and the options.
struct ComparisonInput {
    OpenDevice a, b;
    CompareBy by = CompareBy::source;
    CompareBasis basis = CompareBasis::all;
    bool operator==(const ComparisonInput&) const = default;
    std::uint64_t read_bytes() const { return a.document->snapshot->read_bytes + b.document->snapshot->read_bytes; }
};

/// Results of a comparison, as the window shows them. Immutable.
struct ShownComparison {
    ComparisonInput input;  ///< keeps the documents alive that the other fields refer to
    Comparison comparison;
    std::shared_ptr<const steps::Steps> steps_a, steps_b;  ///< keep the data alive that `alignment` refers to
    Alignment alignment;
    AlignedCurves curves;
    ComparedStacks stacks_a, stacks_b;      ///< totals by stack of the whole recordings A and B
    std::shared_ptr<query::Database> both;  ///< one database connection with the tables of A and B
    std::vector<std::string> limits;        ///< warnings about the comparison, see comparison_limits()
};

/// State of the comparison window that persists between frames. A is a device of the open file; B is a device of another
/// file, or another device of the same file.
struct CompareState {
    bool is_open = false;
    std::string path;                       ///< path of B's file; empty until one is chosen
    std::shared_ptr<const Document> other;  ///< the document of B; null until it is open
    std::size_t device_b = 0;               ///< index of device B in `other`
    CompareBy by = CompareBy::source;
    CompareBasis basis = CompareBasis::all;
    std::shared_ptr<const ShownComparison> shown;  ///< the last finished comparison; null before the first
    ComparedOrder order;                           ///< filter and sort order of the comparison table
    std::vector<ComparedPlace> places;             ///< rows of the comparison `arranged`, in the order `arranged_by`
    const ShownComparison* arranged = nullptr;
    ComparedOrder arranged_by;
    std::string chosen_key;                       ///< key of the row whose allocations are highlighted
    std::string highlight_name;                   ///< name of the highlight in both timelines; empty for none
    std::shared_ptr<const Emphasis> highlight_b;  ///< the highlighted allocations of B; null for no highlight
    LongWork work;
    float width_share = 0.5F;  ///< width of the comparison as a fraction of the main window, while it replaces the details
};

enum class ComparedSide : std::uint8_t { a, b };
/// The colour that distinguishes a recording in all views of the comparison.
std::uint32_t compared_colour(ComparedSide side);

/// The opened file B of a comparison, without its timelines.
struct OtherFile {
    std::shared_ptr<const Document> document;
    CharacterSet characters;  ///< the characters that the document's texts need
};

/// Compares the device on the screen (A) with a device of another file (B) while the comparison window is open. Opens the
/// other file, and repeats the comparison when the devices or options change. Main thread.
class CompareRuns : public Feature {
public:
    /// All arguments must outlive this object.
    CompareRuns(Session& session, Pictures& pictures, selection::Selection& selection, const files::FileOpener& opener)
        : session_(session), pictures_(pictures), selection_(selection), opener_(opener) {}

    /// Opens the comparison window and starts to compare with a file, or with one rank in it. Precondition: a timeline is on
    /// the screen.
    void begin(const std::string& path, std::optional<RankPlace> rank = {});
    /// Must be called once per frame.
    void update() override;
    /// Stops the comparison and keeps the last result. restart() or a change of the options continues.
    void stop();
    /// Restarts a comparison that was stopped or has failed.
    void restart();
    /// True while a comparison runs, or if the options have changed and update() has not seen the change yet.
    bool is_busy() const override { return is_working() || is_out_of_date(); }

    /// Highlights all allocations of both recordings that belong to the row with this key. Can be called at any time.
    void go_to(const std::string& key);
    /// Highlights the allocations of all rows in a box of the comparison; nullopt removes the highlight.
    void show_box(std::optional<ComparedBox> box);
    /// One database connection with the tables of A and B. Also available while the window is closed; null before the first
    /// comparison.
    std::shared_ptr<query::Database> both() const;
    /// The command line that prints the same comparison; empty before the first one.
    std::string command_line() const;
    void connect(Switchboard& board) override;

    const CompareState& state() const { return state_; }
    /// For ComparedPictures, which draw in this window.
    CompareState& state() { return state_; }
    /// Draws the window that shows how two recordings differ at their peaks. It replaces the details, so that the timeline
    /// stays visible. `draw_pictures` draws the curves and timelines; it gets the height of the comparison in pixels.
    void draw(const Area& area, const std::function<void(float room_px)>& draw_pictures, Requests& requests);

private:
    bool is_shown() const { return state_.is_open && session_.current_timeline() != nullptr && !state_.path.empty(); }
    bool is_working() const { return opening_.is_busy() || comparing_.is_busy(); }
    bool is_out_of_date() const;
    bool is_of_open_file() const;
    ComparisonInput wanted() const;
    void adopt_other(std::shared_ptr<const Document> other);
    void discard_opening();
    void follow_document();
    void take();
    void begin_next();
    void open_other();
    void show_work();
    void highlight(const std::vector<std::string>& keys, const std::string& name);
    void follow_search();
    void forget_highlight();

    Session& session_;
    Pictures& pictures_;
    selection::Selection& selection_;
    const files::FileOpener& opener_;
    CompareState state_;
    std::shared_ptr<const Document> document_;  ///< the document that was open in the previous frame
    std::optional<RankPlace> rank_b_;           ///< rank of B, if its file has several ranks
    BackgroundTask<OtherFile> opening_;
    BackgroundTask<std::shared_ptr<const ShownComparison>, ComparisonInput> comparing_;
};

}  // namespace snapviewer::compare
