#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/load/bytes/byte_source.h"
#include "core/load/bytes/zip_archive.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The files of one SnapViewer trace, in a zip or a folder. Member functions throw Failure, whose context names the file.
class SnapviewerParts {
public:
    virtual ~SnapviewerParts() = default;
    /// Returns the names of the files, without folders.
    virtual std::vector<std::string> names() const = 0;
    virtual void read(const std::string& name, const std::function<void(ByteSource&)>& take) = 0;
    virtual std::shared_ptr<SqliteFile> open_database(const std::string& name) = 0;
    /// Returns a second object for the same files, for another thread that reads at the same time. It reports no progress,
    /// because the progress is that of one file. Must not outlive this.
    virtual std::unique_ptr<SnapviewerParts> clone() const = 0;

    bool has(std::string_view name) const;
};

/// A SnapViewer trace in a zip archive.
class ZippedParts : public SnapviewerParts {
public:
    explicit ZippedParts(ZipArchive& archive) : archive_(archive) {}

    std::vector<std::string> names() const override;
    void read(const std::string& name, const std::function<void(ByteSource&)>& take) override;
    /// Unpacks the database into a temporary file.
    std::shared_ptr<SqliteFile> open_database(const std::string& name) override;
    std::unique_ptr<SnapviewerParts> clone() const override;

private:
    explicit ZippedParts(std::unique_ptr<ZipArchive> own) : own_(std::move(own)), archive_(*own_) {}

    std::unique_ptr<ZipArchive> own_;  ///< Archive of an object that clone() returned; else null
    ZipArchive& archive_;
};

/// A SnapViewer trace in a folder.
class FolderParts : public SnapviewerParts {
public:
    explicit FolderParts(std::string folder, bool reports_progress = true)
        : folder_(std::move(folder)), reports_progress_(reports_progress) {}

    std::vector<std::string> names() const override;
    void read(const std::string& name, const std::function<void(ByteSource&)>& take) override;
    std::shared_ptr<SqliteFile> open_database(const std::string& name) override;
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

}  // namespace snapviewer
