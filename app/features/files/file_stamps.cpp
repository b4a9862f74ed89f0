#include "app/features/files/file_stamps.h"

#include <system_error>
#include <utility>

#include "core/base/addresses.h"

namespace snapviewer {
namespace {

FileStamp read_stamp(const std::filesystem::path& path) {
    // Standard input has no useful modification time, because that of a pipe changes with every byte. Remote files are not
    // polled.
    if (is_standard_input(path.string()) || is_remote(path.string())) return {true, 0, {}};
    std::error_code failed;
    FileStamp stamp;
    stamp.modified = std::filesystem::last_write_time(path, failed);
    if (failed) return {};
    stamp.exists = true;
    stamp.size_bytes = std::filesystem::file_size(path, failed);
    if (failed) stamp.size_bytes = 0;  // a folder has a modification time, but no file size
    return stamp;
}

}  // namespace

FileStamps read_stamps(const std::vector<std::string>& paths) {
    FileStamps stamps;
    for (const std::string& path : paths) {
        stamps.push_back(read_stamp(path));
        const FileStamp journal = read_stamp(path + "-wal");
        stamps.push_back(journal.size_bytes > 0 ? journal : FileStamp{});  // an empty write-ahead log contains no changes
    }
    return stamps;
}

void ChangeDetector::look(FileStamps now) {
    if (!now.empty() && !now.front().exists) {
        change_ = DiskChange::gone;
    } else if (now == last_ && now != accepted_) {
        change_ = DiskChange::changed;
    } else if (now == accepted_ || change_ == DiskChange::gone) {
        change_ = DiskChange::none;
    }
    last_ = std::move(now);
}

void ChangeDetector::accept() {
    accepted_ = last_;
    if (change_ == DiskChange::changed) change_ = DiskChange::none;
}

}  // namespace snapviewer
