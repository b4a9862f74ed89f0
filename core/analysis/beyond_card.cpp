#include "core/analysis/beyond_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/units.h"

namespace snapviewer {
namespace {

std::string words_of_excess(const BeyondCard& beyond, const ToldBytes& free) {
    const bool fits_alone = beyond.reserved_bytes <= beyond.card_bytes;
    std::string text = fmt::format(
        "PyTorch counts {}{}, the card has {}; the rest is in host memory (Windows, WSL) or in a pool that was put to "
        "sleep.",
        format_bytes(beyond.reserved_bytes), fits_alone ? fmt::format(" with {} free", format_bytes(free.bytes)) : "",
        format_bytes(beyond.card_bytes));
    if (beyond.pools.empty()) return text;
    std::string names;
    std::uint64_t bytes = 0;
    for (const PrivatePool& pool : beyond.pools) {
        names += (names.empty() ? "" : ", ") + pool.pool;
        bytes += pool.reserved_bytes;
    }
    const bool is_one = beyond.pools.size() == 1;
    return text + fmt::format(" The private {} {}, {}, {} for the difference.", is_one ? "pool" : "pools", names,
                              format_bytes(bytes), is_one ? "accounts" : "account");
}

}  // namespace

std::optional<BeyondCard> beyond_card(const ToldBytes& reserved, const std::optional<ToldBytes>& free, const ToldBytes& card,
                                      std::vector<PrivatePool> pools) {
    const ToldBytes known_free = free.value_or(ToldBytes{});
    const std::uint64_t together = reserved.bytes + known_free.bytes;
    if (together <= card.bytes + card.within_bytes + reserved.within_bytes + known_free.within_bytes) return std::nullopt;
    BeyondCard beyond{reserved.bytes, card.bytes, together - card.bytes, {}, {}};
    std::ranges::stable_sort(pools, std::ranges::greater(), &PrivatePool::reserved_bytes);
    std::uint64_t accounted = 0;
    for (const PrivatePool& pool : pools) {
        if (accounted >= beyond.excess_bytes) break;
        accounted += pool.reserved_bytes;
        beyond.pools.push_back(pool);
    }
    if (accounted < beyond.excess_bytes) beyond.pools.clear();
    beyond.sentence = words_of_excess(beyond, known_free);
    return beyond;
}

}  // namespace snapviewer
