#include "core/query/row_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace snapviewer {
namespace {

constexpr std::size_t k_values_at_once = 1024;
/// To pick the first rows and sort only those is quicker where they are less than one part in so many.
constexpr std::size_t k_part_worth_picking = 8;

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
    std::uint32_t place;  ///< before sorting
};

/// Radix sort by bytes, lowest first; bytes that all keys share cost nothing.
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

/// Leaves the first so many of what sorting by key and then by place makes.
void keep_first(std::vector<Keyed>& items, std::size_t at_most) {
    if (at_most >= items.size() / k_part_worth_picking) return;
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(at_most);
    std::ranges::nth_element(items, end, {}, [](const Keyed& item) { return std::pair(item.key, item.place); });
    items.erase(end, items.end());
    std::ranges::sort(items, {}, &Keyed::place);
}

}  // namespace

void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending, std::size_t at_most) {
    std::vector<Keyed> items;
    items.reserve(rows.size());
    std::vector<std::uint32_t> nulls;
    std::array<std::size_t, k_values_at_once> numbers;
    std::array<std::optional<std::int64_t>, k_values_at_once> values;
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
            items.push_back(
                {descending ? ~ascending : ascending, rows[first + i], static_cast<std::uint32_t>(items.size())});
        }
    }
    keep_first(items, at_most);
    sort_by_key(items);
    rows.clear();
    if (!descending) rows = nulls;
    for (const Keyed& item : items) rows.push_back(item.row);
    if (descending) rows.insert(rows.end(), nulls.begin(), nulls.end());
    rows.resize(std::min(rows.size(), at_most));
}

}  // namespace snapviewer
