#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "app/ui/texts.h"
#include "core/analysis/compare/compare.h"
#include "core/analysis/compare/curves.h"
#include "core/base/job.h"
#include "core/document/document.h"

/// Texts about a comparison of two recordings for the window.
namespace snapviewer {

/// A sentence that compares the peaks, such as "B peaks 144.0 MiB higher than A."
std::string peaks_sentence(const compare::Comparison& comparison);
/// Number of rows and their sums, such as "3 stacks, 12 allocations" or "2 sources, 5 -> 7 allocations".
std::string sums_words(std::size_t rows, const compare::ComparedSums& sums, compare::CompareBy by);
/// A sentence about how the curves of A and B are aligned.
std::string alignment_sentence(const compare::Alignment& alignment, const steps::Steps& a, const steps::Steps& b);

/// A file argument of the `compare` command line.
struct ComparedFile {
    std::string path;
    std::optional<int> device;  ///< number of the device in the file; nullopt for the default device
};
/// The shell command that prints the same comparison.
std::string compare_command_line(const ComparedFile& a, const ComparedFile& b, compare::CompareBy by,
                                 compare::CompareBasis basis);

// Background work of the comparison window.

/// The opened file B of a comparison, without its timelines.
struct OtherFile {
    std::shared_ptr<const Document> document;
    CharacterSet characters;  ///< the characters that the document's texts need
};

/// A device of an open file.
struct OpenDevice {
    std::shared_ptr<const Document> document;
    std::size_t index = 0;
    bool operator==(const OpenDevice&) const = default;
    findings::DeviceAnalyses& analyses() const { return document->analyses->device(index); }
};

/// Inputs and options of a comparison.
struct ComparisonTask {
    OpenDevice a, b;
    compare::CompareBy by = compare::CompareBy::source;
    compare::CompareBasis basis = compare::CompareBasis::all;
    bool operator==(const ComparisonTask&) const = default;
    std::uint64_t read_bytes() const { return a.document->snapshot->read_bytes + b.document->snapshot->read_bytes; }
};

/// Results of a comparison, as the window shows them. Immutable.
struct ShownComparison {
    ComparisonTask task;  ///< inputs of the comparison; keeps the documents alive that the other fields refer to
    compare::Comparison comparison;
    std::shared_ptr<const steps::Steps> steps_a, steps_b;  ///< keep the data alive that `alignment` refers to
    compare::Alignment alignment;
    compare::AlignedCurves curves;
    compare::ComparedStacks stacks_a, stacks_b;  ///< totals by stack of the whole recordings A and B
    std::shared_ptr<query::Database> both;       ///< one database connection with the tables of A and B
    std::vector<std::string> limits;             ///< warnings about the comparison, see comparison_limits()
};

using OtherFileOutcome = Result<std::shared_ptr<const OtherFile>>;
using ComparisonOutcome = Result<std::shared_ptr<const ShownComparison>>;

/// The work that opens file B. Takes as long as opening it on the command line.
Job<OtherFileOutcome>::Work make_other_opening_job(std::string path);
/// The work that compares two devices. Half a second for two recordings of a million events each, most of it to detect the
/// training steps. Pass ShownComparison::both of an earlier comparison of the same devices as `both` to reuse that database;
/// null creates a new one.
Job<ComparisonOutcome>::Work make_comparing_job(ComparisonTask task, std::shared_ptr<query::Database> both);

/// Compares the device on the screen (A) with a device of another file (B) while the comparison window is open. Opens the
/// other file, and repeats the comparison when the devices or options change. Main thread.
class CompareRuns : public Feature {
public:
    /// All arguments must outlive this object.
    CompareRuns(Session& session, Pictures& pictures, Selection& selection)
        : session_(session), pictures_(pictures), selection_(selection) {}

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
    void describe(nlohmann::json& report) const override;

private:
    bool is_shown() const {
        return session_.compare.is_open && session_.current_timeline() != nullptr && !session_.compare.path.empty();
    }
    bool is_working() const { return opening_.is_busy() || comparing_.is_busy(); }
    bool is_out_of_date() const;
    bool is_of_open_file() const;
    ComparisonTask wanted() const;
    void adopt_other(std::shared_ptr<const Document> other);
    void discard();
    void follow_document();
    void take();
    void begin_next();
    void show_work();
    void light(const std::vector<std::string>& keys, const std::string& name);
    void follow_search();

    Session& session_;
    Pictures& pictures_;
    Selection& selection_;
    std::shared_ptr<const Document> document_;  ///< the document that was open in the previous frame
    std::optional<RankPlace> rank_b_;           ///< rank of B, if its file has several ranks
    std::optional<ComparisonTask> asked_;       ///< the comparison that was last started
    Job<OtherFileOutcome> opening_;
    Job<ComparisonOutcome> comparing_;
};

}  // namespace snapviewer
