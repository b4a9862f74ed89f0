#include "core/query/row_order.h"

#include <algorithm>
#include <array>

namespace snapviewer {
namespace {

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
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

}  // namespace

void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending) {
    std::vector<Keyed> items;
    items.reserve(rows.size());
    std::vector<std::uint32_t> nulls;
    for (const std::uint32_t row : rows) {
        const std::optional<std::int64_t> value = column.integer(row);
        if (!value) {
            nulls.push_back(row);
            continue;
        }
        const std::uint64_t ascending = static_cast<std::uint64_t>(*value) ^ (std::uint64_t{1} << 63);
        items.push_back({descending ? ~ascending : ascending, row});
    }
    sort_by_key(items);
    auto out = descending ? rows.begin() : std::copy(nulls.begin(), nulls.end(), rows.begin());
    for (const Keyed& item : items) *out++ = item.row;
    if (descending) std::copy(nulls.begin(), nulls.end(), out);
}

}  // namespace snapviewer
