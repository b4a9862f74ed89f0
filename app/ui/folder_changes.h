#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace snapviewer {

/// Compares what lies in a folder now with what was read of it, for DiskWatch. `Stamp` is what was seen of a file, such as
/// its size and time; == says whether the file is the same.
template <typename Stamp>
class FolderChanges {
public:
    /// By path.
    using Seen = std::map<std::string, Stamp>;
    explicit FolderChanges(Seen read) : read_(std::move(read)), last_(read_) {}

    /// A file that is still being written is no news yet: only what two looks saw alike is.
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
