#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/card_figures.h"
#include "core/analysis/icicle.h"
#include "core/analysis/kind_rules.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/mesh/mesh.h"
#include "core/query/database.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/trace/detail_source.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

class Analyses;

/// One device, ready to draw.
struct DeviceView {
    std::shared_ptr<const Timeline> timeline;
    std::shared_ptr<const Mesh> mesh;          ///< null if OpenOptions::mesh was off
    std::shared_ptr<const Overlays> overlays;  ///< null if OpenOptions::mesh was off
    /// Whether the device leaks; nullopt if that did not matter to Document::default_device and was not computed.
    std::optional<bool> leaks;
};

std::vector<std::string> view_kind_names();  ///< "allocations", "segments", "pools"; in the order of ViewKind
/// nullopt if no picture has this name.
std::optional<ViewKind> view_kind_named(std::string_view name);

/// The time that each stage of opening a file took.
struct StageTimings {
    double read_ms = 0;   ///< getting at the bytes
    double parse_ms = 0;  ///< bytes -> Snapshot
    double timeline_ms = 0;
    double mesh_ms = 0;  ///< beyond timeline_ms: most of the picture is built while the timeline is laid out
    double database_ms = 0;
    double total_ms = 0;
};

/// An open file: everything the window, the command line and SQL look at. Immutable, except that the database runs queries.
struct Document {
    std::string path;
    std::string with;        ///< the file opened together with it, see open_pair(); usually empty
    std::uint32_t part = 1;  ///< OpenOptions::part
    std::shared_ptr<const Snapshot> snapshot;
    std::vector<DeviceView> devices;  ///< parallel to snapshot->devices; empty for databases that hold nothing to draw
    std::vector<Icicle> icicles;
    std::shared_ptr<DetailSource> details;     ///< null for files that know no more than their snapshot
    std::shared_ptr<Database> database;        ///< null if OpenOptions::database was off
    std::shared_ptr<const Analyses> analyses;  ///< of `devices`; those that SQL shows
    /// Figures from an error in the job's log, if the user gave one, followed by those of the recorder's file beside the
    /// snapshot.
    std::vector<CardFigures> card_figures;
    StageTimings timings;
    /// The device to show first: the first one that ran out of memory; otherwise the one with the highest peak, among
    /// leaking devices if there are any. A part of a device's memory only if the file has no whole device (then the part
    /// with most events), and the host only if there is nothing else.
    std::size_t default_device = 0;
};

/// The parts of a document to make.
struct OpenOptions {
    bool mesh = true;         ///< `info` and `render` need it, `query` and `export` do not
    bool database = true;     ///< most of the time that a small file takes
    std::string with = {};    ///< a file to be opened together with this one
    bool else_alone = false;  ///< what to do if that does not go together with this one; otherwise opening fails
    std::string log = {};     ///< of the job, for PyTorch's out-of-memory error in it: figures_in_log()
    std::optional<std::uint32_t> log_rank = {};  ///< the file's rank, for a log of many; what the recorder says goes first
    KindRules kind_rules = {};                   ///< the user's own, of the analyses
    std::uint32_t part = 1;                      ///< of several pickles in the file, which to open, from 1
};

/// Opens any file we know, by its bytes. Runs on any thread, reports to `progress`, stops within 100 ms when asked.
/// The error has no file name in it. Takes about as long as reading the file; without `mesh`, a third less.
///
///     Progress progress;
///     const auto document = open_document("oom.pickle", {.mesh = false}, progress);
///     if (!document) return report(document.error());
///     const Timeline& timeline = *(*document)->devices[(*document)->default_device].timeline;
Result<std::shared_ptr<const Document>> open_document(const std::string& path, const OpenOptions& options,
                                                      Progress& progress);

/// Why a device has no such picture, as a sentence; empty where it has one. O(events + segments).
std::string why_no_view(const Snapshot& snapshot, std::size_t device_index, ViewKind kind);

/// Another picture of one device, which shares the document's snapshot; for allocations the document's own. For pictures
/// that are asked for, not for opening: takes as long as opening took for timeline and mesh. Has a mesh and overlays if the
/// document's own views have. Fails when stopped, and for pools where there would be too many path points. Any thread.
Result<DeviceView> build_view(const Document& document, std::size_t device_index, ViewKind kind, Progress& progress);

}  // namespace snapviewer
