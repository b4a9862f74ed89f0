#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"
#include "core/load/bytes/zip_archive.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/snapshot.h"

namespace snapviewer::converted {

/// The files of one SnapViewer trace, in a zip or a folder. Member functions throw Failure, whose context names the file.
class SnapviewerParts {
public:
    virtual ~SnapviewerParts() = default;
    /// Returns the names of the files, without folders.
    virtual std::vector<std::string> names() const = 0;
    virtual void read(const std::string& name, const std::function<void(bytes::ByteSource&)>& take) = 0;
    virtual std::shared_ptr<sqlite::SqliteFile> open_database(const std::string& name) = 0;
    /// Returns a second object for the same files, for another thread that reads at the same time. It reports no progress,
    /// because the progress is that of one file. Must not outlive this.
    virtual std::unique_ptr<SnapviewerParts> clone() const = 0;

    bool has(std::string_view name) const;
};

/// A SnapViewer trace in a zip archive.
class ZippedParts : public SnapviewerParts {
public:
    explicit ZippedParts(bytes::ZipArchive& archive) : archive_(archive) {}

    std::vector<std::string> names() const override;
    void read(const std::string& name, const std::function<void(bytes::ByteSource&)>& take) override;
    /// Unpacks the database into a temporary file.
    std::shared_ptr<sqlite::SqliteFile> open_database(const std::string& name) override;
    std::unique_ptr<SnapviewerParts> clone() const override;

private:
    explicit ZippedParts(std::unique_ptr<bytes::ZipArchive> own) : own_(std::move(own)), archive_(*own_) {}

    std::unique_ptr<bytes::ZipArchive> own_;  ///< Archive of an object that clone() returned; else null
    bytes::ZipArchive& archive_;
};

/// A SnapViewer trace in a folder.
class FolderParts : public SnapviewerParts {
public:
    explicit FolderParts(std::string folder, bool reports_progress = true)
        : folder_(std::move(folder)), reports_progress_(reports_progress) {}

    std::vector<std::string> names() const override;
    void read(const std::string& name, const std::function<void(bytes::ByteSource&)>& take) override;
    std::shared_ptr<sqlite::SqliteFile> open_database(const std::string& name) override;
    std::unique_ptr<SnapviewerParts> clone() const override;

private:
    std::string path_of(const std::string& name) const;
    std::string folder_;
    bool reports_progress_;
};

/// True if SnapViewer's allocations.json is among the files.
bool is_snapviewer(const SnapviewerParts& parts);

/// Reads a trace that SnapViewer's converter made. It consists of polygons (allocations.json), which are kept unchanged, and
/// of the elements that they belong to: events in elements.json or in elements_0.json, elements_1.json, ..., or only stacks
/// in elements.db. An element that may belong to another polygon is not used, and the import log says so. Throws Failure.
std::unique_ptr<Snapshot> read_snapviewer(SnapviewerParts& parts);

/// True if a page begins like one of PyTorch's viewer of 2022. Such a page contains no snapshot, only the sizes and stacks
/// of elements and the order in which they are allocated and freed.
bool looks_like_plot_page(std::string_view front);

/// Reads a page of PyTorch's viewer of 2022 into allocations, each with an event for its start and one for its end, but
/// without addresses, streams and times. Throws Failure, also if the page breaks off, because its lists come in no fixed
/// order.
std::unique_ptr<Snapshot> read_plot_page(bytes::ByteSource& page);

/// The polygons in SnapViewer's allocations.json as columns, in the order of the file.
struct Polygons {
    static constexpr std::uint64_t k_not_given = std::numeric_limits<std::uint64_t>::max();

    std::vector<PathPoint> points;
    std::vector<std::uint64_t> ends;
    std::vector<std::uint64_t> size_bytes;
    std::vector<std::uint64_t> element;  ///< Number of the polygon's element, or k_not_given

    std::size_t size() const { return ends.size(); }
    std::uint64_t begin_of(std::size_t i) const { return i == 0 ? 0 : ends[i - 1]; }
    std::uint64_t first_step(std::size_t i) const { return points[begin_of(i)].step; }
    std::uint64_t last_step(std::size_t i) const { return points[ends[i] - 1].step; }
};

/// True if bytes begin like allocations.json.
bool looks_like_polygons(std::string_view front);

/// Reads allocations.json: a list of objects with the keys "timesteps", "offsets", "size" and often "elem", the number of
/// the element. Throws Failure.
Polygons read_polygons(bytes::ByteSource& text);

/// The properties of SnapViewer's elements. An element's number is its index.
struct SnapviewerElements {
    std::unique_ptr<Snapshot> snapshot;  ///< Snapshot with one device, which has one event per element if has_events
    std::vector<StackId> stacks;         ///< Stack of each element if there are no events (elements.db)
    bool has_events = true;

    std::size_t size() const { return has_events ? snapshot->devices.front().events.size() : stacks.size(); }
};

/// Parses a line of a stack as SnapViewer and PyTorch's first viewer write it: "file:line:function", in SnapViewer's files
/// after a prefix such as "(7) ". Any other text becomes the name of a function.
Frame parse_frame(std::string_view line, StringPool& strings);

/// Reads the elements from elements.json, from its shards or from elements.db. Throws Failure.
SnapviewerElements read_elements(SnapviewerParts& parts);

/// Returns the element of each polygon, or Polygons::k_not_given if it is missing or ambiguous; the import log says why.
/// SnapViewer lists polygons in drawing order but elements in the order of events. Without the field "elem", a polygon and
/// an element of the same index belong together only if the trace frees no block that was allocated before the recording.
std::vector<std::uint64_t> elements_of(const Polygons& polygons, SnapviewerElements& elements);

}  // namespace snapviewer::converted
