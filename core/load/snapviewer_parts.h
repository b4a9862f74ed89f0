#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/load/byte_source.h"
#include "core/load/zip_archive.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// The files that make up one SnapViewer trace, wherever they lie. Members throw Failure, which names the file.
class SnapviewerParts {
public:
    virtual ~SnapviewerParts() = default;
    /// Names without folders.
    virtual std::vector<std::string> names() const = 0;
    virtual void read(const std::string& name, const std::function<void(ByteSource&)>& take) = 0;
    virtual std::shared_ptr<SqliteFile> open_database(const std::string& name) = 0;
    /// The same once more, for another thread to read from at the same time. Not heard of in the progress, which is that of
    /// one part. Must not outlive this.
    virtual std::unique_ptr<SnapviewerParts> beside() const = 0;

    bool has(std::string_view name) const;
};

/// Members of a zip.
class ZippedParts : public SnapviewerParts {
public:
    explicit ZippedParts(ZipArchive& archive) : archive_(archive) {}

    std::vector<std::string> names() const override;
    void read(const std::string& name, const std::function<void(ByteSource&)>& take) override;
    /// Unpacks it into a temporary file.
    std::shared_ptr<SqliteFile> open_database(const std::string& name) override;
    std::unique_ptr<SnapviewerParts> beside() const override;

private:
    explicit ZippedParts(std::unique_ptr<ZipArchive> own) : own_(std::move(own)), archive_(*own_) {}

    std::unique_ptr<ZipArchive> own_;  ///< of parts beside others, which are not heard of; else null
    ZipArchive& archive_;
};

/// Files of a folder.
class FolderParts : public SnapviewerParts {
public:
    explicit FolderParts(std::string folder, bool tells_progress = true)
        : folder_(std::move(folder)), tells_progress_(tells_progress) {}

    std::vector<std::string> names() const override;
    void read(const std::string& name, const std::function<void(ByteSource&)>& take) override;
    std::shared_ptr<SqliteFile> open_database(const std::string& name) override;
    std::unique_ptr<SnapviewerParts> beside() const override;

private:
    std::string path_of(const std::string& name) const;
    std::string folder_;
    bool tells_progress_;
};

}  // namespace snapviewer
