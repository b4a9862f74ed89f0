#include "core/query/row_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace snapviewer {
namespace {

constexpr std::size_t k_values_at_once = 1024;
/// Selecting the first rows before sorting them is faster if fewer than one row in this many is wanted.
constexpr std::size_t k_part_worth_picking = 8;

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
    std::uint32_t place;  ///< Position before sorting
};

/// Sorts by key: radix sort by bytes, lowest byte first. A byte that is the same in all keys costs nothing.
void sort_by_key(std::vector<Keyed>& items) {
    std::vector<Keyed> other(items.size());
    std::uint64_t differing = 0;
    for (const Keyed& item : items) differing |= item.key ^ items.front().key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 0xFF) == 0) continue;
        std::array<std::size_t, 257> starts{};
        for (const Keyed& item : items) ++starts[((item.key >> shift) & 0xFF) + 1];
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
        for (const Keyed& item : items) other[starts[(item.key >> shift) & 0xFF]++] = item;
        items.swap(other);
    }
}

/// Collects items and keeps the first `at_most` of them in the order of key, then place. `of` is the maximum number of
/// items.
class FirstItems {
public:
    FirstItems(std::size_t at_most, std::size_t of) : at_most_(at_most), picks_(at_most < of / k_part_worth_picking) {
        items_.reserve(picks_ ? most_kept() : of);
    }

    void add(const Keyed& item) {
        if (has_all_ && item.key >= last_key_) return;
        items_.push_back(item);
        if (picks_ && items_.size() == most_kept()) cut();
    }
    /// Returns the kept items in the order of their places.
    std::vector<Keyed> take() {
        if (picks_ && items_.size() > at_most_) cut();
        if (has_all_) std::ranges::sort(items_, {}, &Keyed::place);
        return std::move(items_);
    }

private:
    std::size_t most_kept() const { return 2 * at_most_ + k_values_at_once; }

    void cut() {
        const auto end = items_.begin() + static_cast<std::ptrdiff_t>(at_most_);
        const auto rank = [](const Keyed& item) { return std::pair(item.key, item.place); };
        std::ranges::nth_element(items_, end, {}, rank);
        items_.erase(end, items_.end());
        has_all_ = true;
        last_key_ = at_most_ == 0 ? 0 : std::ranges::max(items_, {}, &Keyed::key).key;
    }

    std::size_t at_most_;
    bool picks_;
    std::vector<Keyed> items_;
    bool has_all_ = false;  ///< True once at_most_ items are known; then only items that come before the last of them matter
    std::uint64_t last_key_ = 0;
};

/// Appends the rows sorted by key with a counting sort, which takes one pass instead of one for each byte. Returns false and
/// does nothing if the keys are too far apart.
bool count_into(const std::vector<Keyed>& items, std::vector<std::uint32_t>& rows) {
    const auto [lowest, highest] = std::ranges::minmax(items, {}, &Keyed::key);
    if (highest.key - lowest.key >= items.size() / 2) return false;
    std::vector<std::size_t> starts(highest.key - lowest.key + 2);
    for (const Keyed& item : items) ++starts[item.key - lowest.key + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    const std::size_t before = rows.size();
    rows.resize(before + items.size());
    for (const Keyed& item : items) rows[before + starts[item.key - lowest.key]++] = item.row;
    return true;
}

void append_sorted(std::vector<Keyed> items, std::vector<std::uint32_t>& rows) {
    if (items.empty() || count_into(items, rows)) return;
    sort_by_key(items);
    for (const Keyed& item : items) rows.push_back(item.row);
}

}  // namespace

void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending, std::size_t at_most) {
    FirstItems items(at_most, rows.size());
    std::vector<std::uint32_t> nulls;
    std::array<std::size_t, k_values_at_once> numbers;
    std::array<std::optional<std::int64_t>, k_values_at_once> values;
    std::uint32_t place = 0;
    for (std::size_t first = 0; first < rows.size(); first += k_values_at_once) {
        const std::size_t count = std::min(k_values_at_once, rows.size() - first);
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(first), count, numbers.begin());
        column.read(std::span(numbers).first(count), std::span(values).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            if (!values[i]) {
                nulls.push_back(rows[first + i]);
                continue;
            }
            const std::uint64_t ascending = static_cast<std::uint64_t>(*values[i]) ^ (std::uint64_t{1} << 63);
            items.add({descending ? ~ascending : ascending, rows[first + i], place++});
        }
    }
    rows.clear();
    if (!descending) rows = nulls;
    append_sorted(items.take(), rows);
    if (descending) rows.insert(rows.end(), nulls.begin(), nulls.end());
    rows.resize(std::min(rows.size(), at_most));
}

}  // namespace snapviewer
