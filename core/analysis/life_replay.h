#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace snapviewer {

/// Tells again, moment by moment, what of many things came and went. `lives` are all of them by when they came, with
/// `begin` and `end`; they must outlive this. 4 bytes a thing and a moment.
template <typename Life>
class LifeReplay {
public:
    LifeReplay(const std::vector<Life>& lives, std::uint32_t moments) : lives_(lives), gone_ends_(moments + 1) {
        for (const Life& life : lives) {
            if (is_shown(life) && life.end < moments) ++gone_ends_[life.end + 1];
        }
        for (std::size_t i = 1; i < gone_ends_.size(); ++i) gone_ends_[i] += gone_ends_[i - 1];
        gone_.resize(gone_ends_.back());
        std::vector<std::uint32_t> next(gone_ends_.begin(), gone_ends_.end() - 1);
        for (std::uint32_t i = 0; i < lives.size(); ++i) {
            if (is_shown(lives[i]) && lives[i].end < moments) gone_[next[lives[i].end]++] = i;
        }
    }

    /// Calls `change(life, comes)` for what is gone from this moment on, then for what is new. Moments must be asked for one
    /// after another, from 0 on.
    template <typename Change>
    void at(std::uint32_t moment, Change change) {
        for (std::uint32_t i = gone_ends_[moment]; i < gone_ends_[moment + 1]; ++i) change(lives_[gone_[i]], false);
        for (; next_ < lives_.size() && lives_[next_].begin <= moment; ++next_) {
            if (is_shown(lives_[next_])) change(lives_[next_], true);
        }
    }

private:
    /// What came and went within one event was there at no moment.
    static bool is_shown(const Life& life) { return life.begin < life.end; }

    const std::vector<Life>& lives_;
    std::vector<std::uint32_t> gone_ends_;  ///< [m]..[m + 1]: into gone_, of what went at moment m
    std::vector<std::uint32_t> gone_;
    std::size_t next_ = 0;
};

}  // namespace snapviewer
