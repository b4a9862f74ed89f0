#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace snapviewer {

/// Compares the current contents of a folder with the contents that were read; a detector for DiskWatch. `Stamp` holds the
/// observed properties of a file, such as size and time; two equal stamps mean an unchanged file.
template <typename Stamp>
class FolderChanges {
public:
    /// Stamps by path.
    using Seen = std::map<std::string, Stamp>;
    explicit FolderChanges(Seen read) : read_(std::move(read)), last_(read_) {}

    /// Records a check. A file counts as changed only if two consecutive checks found the same stamp, so that files still
    /// being written are not reported.
    void look(Seen now) {
        const auto is_news_at = [&](const auto& entry) { return is_news(now, entry.first); };
        has_news_ = std::ranges::any_of(now, is_news_at) || std::ranges::any_of(read_, is_news_at);
        last_ = std::move(now);
    }
    bool has_news() const { return has_news_; }

private:
    bool is_news(const Seen& now, const std::string& path) const {
        const Stamp* here = stamp_at(now, path);
        return are_alike(here, stamp_at(last_, path)) && !are_alike(here, stamp_at(read_, path));
    }

    static const Stamp* stamp_at(const Seen& seen, const std::string& path) {
        const auto found = seen.find(path);
        return found == seen.end() ? nullptr : &found->second;
    }

    static bool are_alike(const Stamp* a, const Stamp* b) {
        return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
    }

    Seen read_;
    Seen last_;
    bool has_news_ = false;
};

}  // namespace snapviewer
