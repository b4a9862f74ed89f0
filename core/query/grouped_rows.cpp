#include "core/query/grouped_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace snapviewer {
namespace {

using Use = GroupRead::Use;

constexpr std::size_t k_rows_grouped_at_once = 1024;
/// Of all groups: some 100 MB. SQLite keeps one group at a time.
constexpr std::size_t k_most_values = std::size_t{3} << 20;
constexpr std::int64_t k_most_small_keys = std::int64_t{1} << 22;
constexpr std::uint32_t k_new_group = std::numeric_limits<std::uint32_t>::max();

}  // namespace

GroupedRows::GroupedRows(const GroupPlan& plan, const RowWalk& table) : null_key_(k_new_group) {
    const auto read_in_place = [this, &table](int column) {
        const Column* read = &table.column(column);
        is_possible_ = is_possible_ && !read->is_text();
        return read;
    };
    if (plan.key >= 0) key_ = read_in_place(plan.key);
    for (const GroupRead& read : plan.reads) {
        const Column* column = read.use == Use::key ? key_ : read_in_place(read.column);
        const bool counts_rows = read.use == Use::sum && column->name == k_group_rows_column;
        sums_.push_back({read, counts_rows, column, {}, {}});
    }
}

GroupedRows::Outcome GroupedRows::add_up(RowWalk& walk, bool descending) {
    std::vector<std::size_t> rows;
    while (walk.take(k_rows_grouped_at_once, rows)) {
        if (rows.empty()) {
            order_.resize(keys_.size());
            std::iota(order_.begin(), order_.end(), 0U);
            std::ranges::sort(order_, {}, [this](std::uint32_t group) { return keys_[group]; });  // NULL first
            if (descending) std::ranges::reverse(order_);
            return Outcome::ready;
        }
        if (!find_groups(rows)) return Outcome::too_many;
        for (Sums& sums : sums_) {
            if (sums.read.use != Use::key && !add(sums, rows)) return Outcome::too_large;
        }
    }
    return Outcome::stopped;
}

std::optional<std::int64_t> GroupedRows::value(std::size_t group, std::size_t read) const {
    const std::uint32_t number = order_[group];
    const Sums& sums = sums_[read];
    if (sums.read.use == Use::key) return keys_[number];
    return sums.is_some[number] ? std::optional(sums.values[number]) : std::nullopt;
}

/// False if there are too many.
bool GroupedRows::find_groups(const std::vector<std::size_t>& rows) {
    groups_.resize(rows.size());
    if (key_ == nullptr) {
        if (keys_.empty()) keys_.emplace_back();
        std::ranges::fill(groups_, 0U);
    } else {
        values_.resize(rows.size());
        key_->read(rows, values_);
        std::ranges::transform(values_, groups_.begin(), [this](const auto& key) { return group_of(key); });
    }
    for (Sums& sums : sums_) {
        if (sums.read.use == Use::key) continue;
        sums.values.resize(keys_.size());
        sums.is_some.resize(keys_.size());
    }
    return keys_.size() * sums_.size() <= k_most_values;
}

std::uint32_t GroupedRows::group_of(std::optional<std::int64_t> key) {
    std::uint32_t* group = &null_key_;
    if (key && *key >= 0 && *key < k_most_small_keys) {
        const auto at = static_cast<std::size_t>(*key);
        if (at >= small_keys_.size()) small_keys_.resize(std::max(at + 1, 2 * small_keys_.size()), k_new_group);
        group = &small_keys_[at];
    } else if (key) {
        group = &other_keys_.try_emplace(*key, k_new_group).first->second;
    }
    if (*group == k_new_group) {
        *group = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(key);
    }
    return *group;
}

/// NULL adds nothing. False if a sum became too large.
bool GroupedRows::add(Sums& sums, const std::vector<std::size_t>& rows) {
    if (sums.counts_rows) {
        for (const std::uint32_t group : groups_) ++sums.values[group];
        for (const std::uint32_t group : groups_) sums.is_some[group] = true;
        return true;
    }
    values_.resize(rows.size());
    sums.column->read(rows, values_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!values_[i]) continue;
        const std::uint32_t group = groups_[i];
        std::int64_t& sum = sums.values[group];
        const bool is_first = !sums.is_some[group];
        sums.is_some[group] = true;
        if (is_first) {
            sum = *values_[i];
        } else if (sums.read.use == Use::sum) {
            if (__builtin_add_overflow(sum, *values_[i], &sum)) return false;
        } else {
            sum = sums.read.use == Use::min ? std::min(sum, *values_[i]) : std::max(sum, *values_[i]);
        }
    }
    return true;
}

}  // namespace snapviewer
