#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/kinds/kinds.h"
#include "core/analysis/oom/card_use.h"
#include "core/analysis/stacks/icicle.h"
#include "core/base/context.h"
#include "core/base/import_log.h"
#include "core/base/result.h"
#include "core/mesh/mesh.h"
#include "core/query/database.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"
#include "core/trace/snapshot.h"

namespace snapviewer::findings {
class Analyses;
struct AnalysisOptions;
}  // namespace snapviewer::findings

namespace snapviewer {

/// One device, ready to draw.
struct DeviceView {
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const mesh::Mesh> mesh;    ///< Data to draw; null if OpenOptions::mesh was off
    std::shared_ptr<const Overlays> overlays;  ///< Curves, markers and tracks; null if OpenOptions::mesh was off
    /// Whether the device leaks; nullopt if that did not matter to Document::default_device and was not computed.
    std::optional<bool> leaks;
};

std::vector<std::string> view_kind_names();  ///< "allocations", "segments", "pools"; in the order of ViewKind
/// Returns the kind with this name, or nullopt if the name is unknown.
std::optional<ViewKind> view_kind_named(std::string_view name);

/// The time that each stage of opening a file took.
struct StageTimings {
    double read_ms = 0;   ///< Reading and unpacking the bytes
    double parse_ms = 0;  ///< Parsing the bytes into a Snapshot
    double timeline_ms = 0;
    double mesh_ms = 0;  ///< Further time for the mesh, most of which is built while the timeline is laid out
    double database_ms = 0;
    double total_ms = 0;
};

/// An open file: everything that the window, the command line and SQL show. Immutable, except that the database runs
/// queries.
struct Document {
    std::string path;
    std::string with;        ///< Path of a second file opened together with this one, see open_pair(); usually empty
    std::uint32_t part = 1;  ///< Number of the pickle in the file, from OpenOptions::part
    std::shared_ptr<const Snapshot> snapshot;
    std::vector<DeviceView> devices;  ///< Parallel to snapshot->devices; empty for databases with nothing to draw
    std::vector<stacks::Icicle> icicles;
    std::shared_ptr<DetailSource> details;               ///< Reads further details on demand; null if the file has none
    std::shared_ptr<query::Database> database;           ///< Database for queries; null if OpenOptions::database was off
    std::shared_ptr<const findings::Analyses> analyses;  ///< Analyses of `devices`, shared with the SQL tables
    /// Memory of the card, as given by an error in the job's log, if the user named a log, and then by the recorder's file
    /// beside the snapshot.
    std::vector<oom::CardFigures> card_figures;
    StageTimings timings;
    /// The device to show first: the first one that ran out of memory; otherwise the one with the highest peak, among
    /// leaking devices if there are any. A part of a device's memory only if the file has no whole device (then the part
    /// with most events), and the host only if there is nothing else.
    std::size_t default_device = 0;
};

/// SQL tables and columns with the results of analyses. Each analysis runs when a query first reads its table. The tables
/// share ownership of `analyses`, which keeps the timelines alive.
query::AddedTables analysis_tables(const std::shared_ptr<const findings::Analyses>& analyses);

/// The parts of a document to make.
struct OpenOptions {
    bool mesh = true;  ///< Whether to build meshes and overlays; `info` and `render` need them, `query` and `export` do not
    bool database = true;    ///< Whether to create the database, which takes most of the time for a small file
    std::string with = {};   ///< Path of a second file to open together with this one; may be empty
    bool or_single = false;  ///< If the two files do not belong together: opens this one alone instead of failing
    std::string log = {};  ///< Path of the job's log, which is searched for PyTorch's out-of-memory errors: figures_in_log()
    std::optional<std::uint32_t> log_rank = {};  ///< Rank of the file in the log; a rank in the recorder's file overrides it
    kinds::KindRules kind_rules = {};            ///< The user's own rules for the kinds of allocations
    std::uint32_t part = 1;                      ///< Number of the pickle to open, from 1, if the file contains several
};

/// Opens a file of any supported format, which it detects by the file's bytes. May be called on any thread. Reports to
/// `progress` and stops within 100 ms when asked. The error does not contain the file name. Takes about as long as reading
/// the file; without `mesh`, a third less.
///
///     Progress progress;
///     const auto document = open_document("oom.pickle", {.mesh = false}, progress);
///     if (!document) return report(document.error());
///     const Timeline& timeline = *(*document)->devices[(*document)->default_device].timeline;
Result<std::shared_ptr<const Document>> open_document(const std::string& path, const OpenOptions& options,
                                                      Progress& progress);

/// Creates analyses of a document's devices with other options than those of Document::analyses. Sets
/// `find_expandable_gain`.
std::shared_ptr<const findings::Analyses> make_analyses(const Document& document, findings::AnalysisOptions options);

/// Returns the reason why a device has no view of this kind, as a sentence; empty if it has one. O(events + segments).
std::string why_no_view(const Snapshot& snapshot, std::size_t device_index, ViewKind kind);

/// Builds another view of one device; returns the document's own for ViewKind::allocations. The view shares the document's
/// snapshot, and has a mesh and overlays if the document's own views have them. Takes as long as timeline and mesh took when
/// the file was opened, so build it only on request. Fails when stopped, and for pools with too many path points. May be
/// called on any thread.
Result<DeviceView> build_view(const Document& document, std::size_t device_index, ViewKind kind, Progress& progress);

/// Counts the distinct stacks that the events and allocations of a device refer to. O(events + allocations).
std::uint64_t count_stacks(const Snapshot& snapshot, const DeviceTrace& trace);

/// Returns every out-of-memory event of a device, in order. O(events + out-of-memory events * live allocations) if the
/// document was opened without meshes; otherwise it only copies.
std::vector<Marker> oom_markers(const Document& document, std::size_t device_index);

/// Returns a description of the file for scripts: the output of `info --json` without the cost of opening. Texts may contain
/// invalid UTF-8.
nlohmann::ordered_json document_facts(const Document& document);

/// Finds PyTorch's out-of-memory errors in the log of a job. Returns the error about each device of the snapshot, for
/// devices that have one. Ignores errors that name a rank or a device other than the snapshot's. Among several errors,
/// prefers one whose amounts match an out-of-memory event of the snapshot, then one that names the snapshot's rank, then the
/// last one in the log. `rank` is the rank of the snapshot, if known. `path` is an ordinary file of any size; it is read in
/// pieces, at about 1 GB/s. Throws if no error is about the snapshot.
std::vector<oom::CardFigures> figures_in_log(const std::string& path, const Snapshot& snapshot,
                                             std::optional<std::uint32_t> rank);

/// Returns the path of the file in which snapviewer's recorder writes its facts about a snapshot: "a.about.json" for
/// "a.pickle", "a.pickle.zst" and "a".
std::string recorder_facts_path(const std::string& snapshot_path);

/// Reads the recorder's figures of the card's memory. Returns nothing if the file does not exist, or for standard input and
/// remote files. Reports a damaged file in `log`.
std::vector<oom::CardFigures> read_card_figures(const std::string& snapshot_path, ImportLog& log);

}  // namespace snapviewer
