#include "core/analysis/oom/card_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace snapviewer::oom {
namespace {

/// The range of total memory, in MiB, that cards of each nominal size report: smallest and largest known value.
constexpr struct {
    const char* name;
    std::uint64_t low_mib;
    std::uint64_t high_mib;
} k_cards[] = {{"16 GB (T4)", 14910, 15360}, {"16 GB", 16150, 16384},    {"24 GB (L4, A10)", 22500, 22900},
               {"24 GB", 24050, 24576},      {"32 GB", 32080, 32768},    {"40 GB", 40330, 40960},
               {"48 GB", 45400, 49140},      {"80 GB", 80900, 81920},    {"96 GB", 95500, 98304},
               {"141 GB", 143000, 144384},   {"180 GB", 182600, 184000}, {"192 GB", 191000, 196608}};

/// Lower bound of the memory that a process needs besides PyTorch's allocator: the smallest CUDA context.
constexpr std::uint64_t k_min_context_bytes = 256 * k_mib;

/// Returns the smallest nominal size with room for `bound_bytes` and a CUDA context, or nullopt if no size is close enough.
std::optional<NominalSize> guess_card(std::uint64_t bound_bytes) {
    for (const auto& card : k_cards) {
        const std::uint64_t low = card.low_mib * k_mib;
        const std::uint64_t high = card.high_mib * k_mib;
        const std::uint64_t least = bound_bytes + k_min_context_bytes;
        if (least <= high && static_cast<double>(bound_bytes) >= 0.90 * static_cast<double>(low))
            return NominalSize{card.name, low, high, std::max(low, least)};
    }
    return std::nullopt;
}

/// A change of the reserved bytes, or an out-of-memory event with the free memory that the driver reported.
struct ReservedChange {
    std::uint32_t moment = 0;
    bool is_oom = false;             ///< True for an out-of-memory event, which sorts after changes at the same moment
    std::uint64_t change_bytes = 0;  ///< Signed change, stored modulo 2^64
    std::uint64_t free_bytes = 0;
};

}  // namespace

std::optional<CardSize> known_card_size(std::optional<std::uint64_t> given_bytes, std::span<const CardFigures> figures,
                                        std::int32_t device) {
    if (given_bytes.value_or(0) > 0) return CardSize{{*given_bytes}, FiguresSource::given};
    std::optional<CardSize> best;
    for (const CardFigures& each : figures) {
        if (each.device != device || !each.total || each.total->bytes == 0) continue;
        if (!best || each.total->max_error_bytes < best->total.max_error_bytes) best = CardSize{*each.total, each.source};
    }
    return best;
}

Capacity capacity_of(const space::AddressSpace& space, std::optional<CardSize> card) {
    const EventColumns& events = space.facts().trace.events;
    std::vector<ReservedChange> changes{{}};
    for (const space::RangeLife& life : space.ranges()) {
        changes.push_back({life.begin, false, life.range.size_bytes});
        if (life.end != space::BlockLife::k_never) changes.push_back({life.end, false, 0 - life.range.size_bytes});
    }
    bool is_refused = false;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (!events.is_oom(event)) continue;
        const auto free_bytes = events.free_bytes(event);
        is_refused = is_refused || free_bytes;
        changes.push_back({event + 1, true, 0, free_bytes.value_or(0)});
    }
    std::ranges::stable_sort(changes, {}, [](const ReservedChange& each) { return std::pair(each.moment, each.is_oom); });
    Capacity capacity;
    capacity.card = card;
    std::uint64_t reserved = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const ReservedChange& change = changes[i];
        reserved += change.change_bytes;
        // Evaluates a moment only after its last change.
        if (i + 1 < changes.size() && changes[i + 1].moment == change.moment) continue;
        if (reserved > capacity.max_reserved_bytes) {
            capacity.max_reserved_bytes = reserved;
            capacity.max_reserved_moment = change.moment;
        }
        if (reserved + change.free_bytes <= capacity.bound_bytes) continue;
        capacity.bound_bytes = reserved + change.free_bytes;
        capacity.bound_event = change.moment == 0 ? std::nullopt : std::optional(change.moment - 1);
    }
    const bool is_known = space.facts().trace.reserved_known == ReservedKnown::throughout;
    if (is_known && is_refused && !card) capacity.guess = guess_card(capacity.bound_bytes);
    return capacity;
}

namespace {

/// Memory of PyTorch's allocator, as far as it is known, from the snapshot or from figures.
struct AllocatorShare {
    RoundedBytes reserved;
    std::optional<std::uint64_t> allocated = {};
    std::uint64_t pending = 0;
    std::uint64_t private_idle = 0;
};

bool is_in(const std::vector<space::PoolHolding>& pools, const std::string& name) {
    return std::ranges::find(pools, name, &space::PoolHolding::pool) != pools.end();
}

/// Returns the allocator's memory according to the snapshot, at a moment at which reserved memory is known. Leaves out the
/// pools in `without`.
AllocatorShare share_of_snapshot(const space::AddressSpace& space, const space::AddressMoment& then,
                                 const std::vector<space::PoolHolding>& without = {}) {
    const space::AddressFacts& facts = space.facts();
    AllocatorShare share;
    std::uint64_t idle = 0;
    for (const space::AddressMoment::Range& range : then.ranges) {
        if (is_in(without, facts.pools.text(range.range.traits.pool))) continue;
        share.reserved.bytes += range.range.size_bytes;
        const bool is_private = facts.pools.is_private(range.range.traits.pool);
        space::for_each_hole(then, range, [&](const space::Hole& hole) {
            idle += hole.size_bytes();
            if (is_private) share.private_idle += hole.size_bytes();
        });
        for (const space::AddressMoment::Block& block : then.blocks_of(range))
            share.pending += block.is_pending ? block.size_bytes : 0;
    }
    // Blocks that contradict each other can add up to more than the reserved memory.
    share.pending = std::min(share.pending, share.reserved.bytes - idle);
    share.allocated = share.reserved.bytes - idle - share.pending;
    return share;
}

/// Fills the rows of a CardUse so that they add up to the memory of the card.
class CardSum {
public:
    CardSum(const CardFigures& figures, CardUse& use) : figures_(figures), use_(use) {
        use_.source = figures.source;
        use_.where = figures.where;
        use_.total_bytes = figures.total->bytes;
        use_.rounding_bytes = figures.total->max_error_bytes;
        left_ = use_.total_bytes;
        if (!figures.chosen.empty()) use_.notes.push_back(figures.chosen);
    }

    /// Adds all rows. `then` is null if the reserved memory at that moment is unknown.
    void add(const space::AddressSpace& space, const space::AddressMoment* then) {
        if (then != nullptr) share_ = share_of_snapshot(space, *then);
        const bool is_of_snapshot = share_ && (!figures_.reserved || is_of_same_memory(*share_));
        if (!is_of_snapshot) share_ = reported_share();
        leave_out_what_is_not_on_card(space, is_of_snapshot ? then : nullptr);
        if (figures_.free) add_reported(CardPart::free, *figures_.free, "free");
        add_allocator();
        add_processes();
        add_rest();
        std::ranges::stable_sort(use_.rows, {}, &CardRow::part);
        describe_off_card();
    }

private:
    /// Returns true if the figures and the snapshot agree about the reserved memory. If not, all rows come from the figures.
    bool is_of_same_memory(const AllocatorShare& share) {
        if (figures_.reserved->may_be(share.reserved.bytes)) return true;
        use_.notes.push_back(
            fmt::format("What PyTorch held is taken from here too: {} were reserved, but {} according to the snapshot.",
                        format_bytes(figures_.reserved->bytes), format_bytes(share.reserved.bytes)));
        use_.moment.reset();
        return false;
    }

    void leave_out_what_is_not_on_card(const space::AddressSpace& space, const space::AddressMoment* then) {
        if (!share_) return;
        const auto pools =
            then == nullptr ? std::vector<space::PoolHolding>() : space::private_pools_at(*then, space.facts().pools);
        const auto beyond = beyond_card(share_->reserved, figures_.free, *figures_.total, pools);
        if (!beyond) return;
        is_beyond_ = true;
        use_.excess_bytes = beyond->excess_bytes;
        use_.notes.push_back(beyond->sentence);
        share_ = beyond->pools.empty() ? std::nullopt : std::optional(share_of_snapshot(space, *then, beyond->pools));
    }

    std::optional<AllocatorShare> reported_share() const {
        if (!figures_.reserved) return std::nullopt;
        AllocatorShare share{.reserved = *figures_.reserved};
        if (figures_.allocated) share.allocated = figures_.allocated->bytes;
        if (figures_.private_idle) share.private_idle = figures_.private_idle->bytes;
        return share;
    }

    void add_row(CardRow row) {
        const std::uint64_t fits = std::min(row.bytes, left_);
        use_.excess_bytes += row.bytes - fits;
        row.bytes = fits;
        left_ -= fits;
        if (fits > 0) use_.rows.push_back(std::move(row));
    }

    void add_reported(CardPart part, const RoundedBytes& reported, std::string words,
                      std::optional<std::uint64_t> pid = {}) {
        use_.rounding_bytes += reported.max_error_bytes;
        add_row({part, reported.bytes, pid, std::move(words)});
    }

    void add_allocator() {
        if (!share_) return;
        const std::uint64_t reserved = share_->reserved.bytes;
        use_.rounding_bytes += share_->reserved.max_error_bytes;
        const std::uint64_t allocated = std::min(share_->allocated.value_or(reserved), reserved);
        const std::uint64_t pending = std::min(share_->pending, reserved - allocated);
        const std::uint64_t private_idle = std::min(share_->private_idle, reserved - allocated - pending);
        add_row({CardPart::allocated, allocated, {}, share_->allocated ? "allocated by PyTorch" : "reserved by PyTorch"});
        add_row({CardPart::pending, pending, {}, "freed, waiting for another stream"});
        add_row({CardPart::idle, reserved - allocated - pending - private_idle, {}, "reserved by PyTorch, but idle"});
        add_row({CardPart::private_idle, private_idle, {}, "idle in private pools"});
    }

    /// Returns the index of the process that runs PyTorch. PyTorch's message names its own process only if PyTorch knows its
    /// process id on the host, which it does not in a container. In that case it is the only process that is large enough
    /// for PyTorch's reserved memory, provided that the figures would exceed the memory of the card if no listed process
    /// were PyTorch's.
    std::optional<std::size_t> own_process() {
        std::vector<std::size_t> roomy;
        RoundedBytes sum = sum_without_processes();
        for (std::size_t i = 0; i < figures_.processes.size(); ++i) {
            const RoundedBytes& used = figures_.processes[i].used;
            sum = {sum.bytes + used.bytes, sum.max_error_bytes + used.max_error_bytes};
            if (share_ && used.bytes + used.max_error_bytes + share_->reserved.max_error_bytes >= share_->reserved.bytes)
                roomy.push_back(i);
        }
        if (is_beyond_ && !share_ && !figures_.processes.empty()) return no_process_is_own();
        if (roomy.empty()) return std::nullopt;
        const bool must_be = sum.bytes > use_.total_bytes + figures_.total->max_error_bytes + sum.max_error_bytes;
        if (roomy.size() == 1 && must_be) {
            use_.notes.push_back(fmt::format(
                "PyTorch did not know which process on the card was its own, as in most containers. It is process {}: "
                "otherwise more would be in use than the card has.",
                figures_.processes[roomy[0]].pid));
            return roomy[0];
        }
        return no_process_is_own();
    }

    std::nullopt_t no_process_is_own() {
        is_ambiguous_ = true;
        use_.notes.push_back(
            "PyTorch did not know which process on the card was its own, as in most containers, and the figures do not "
            "tell.");
        return std::nullopt;
    }

    RoundedBytes sum_without_processes() const {
        RoundedBytes sum;
        if (share_) sum = share_->reserved;
        if (figures_.free) sum = {sum.bytes + figures_.free->bytes, sum.max_error_bytes + figures_.free->max_error_bytes};
        return sum;
    }

    void add_processes() {
        std::optional<RoundedBytes> own = figures_.this_process;
        const std::size_t none = figures_.processes.size();
        const std::size_t own_index = own ? none : own_process().value_or(none);
        if (own_index != none) own = figures_.processes[own_index].used;
        knows_own_ = own.has_value();
        knows_others_ = figures_.others || (!figures_.processes.empty() && !is_ambiguous_) ||
                        (figures_.source == FiguresSource::message && figures_.this_process);
        if (own) add_own(*own);
        for (std::size_t i = 0; i < figures_.processes.size() && !is_ambiguous_; ++i) {
            const CardProcess& process = figures_.processes[i];
            if (i != own_index)
                add_reported(CardPart::other_processes, process.used, fmt::format("process {}", process.pid), process.pid);
        }
        if (figures_.others) add_reported(CardPart::other_processes, *figures_.others, others_words());
    }

    std::string others_words() const {
        if (!figures_.other_count) return "other processes";
        return *figures_.other_count == 1 ? "another process" : fmt::format("{} other processes", *figures_.other_count);
    }

    void add_own(const RoundedBytes& own) {
        const std::uint64_t reserved = share_ ? share_->reserved.bytes : 0;
        const std::uint64_t within = own.max_error_bytes + (share_ ? share_->reserved.max_error_bytes : 0);
        use_.rounding_bytes += own.max_error_bytes;
        if (own.bytes >= reserved) {
            add_row({CardPart::this_process,
                     own.bytes - reserved,
                     {},
                     share_ ? "this process outside PyTorch's allocator" : "this process"});
        } else if (!is_beyond_ && reserved - own.bytes > within) {
            use_.notes.push_back(
                fmt::format("The driver counts {} for this process, {} less than PyTorch reserved: the two were not "
                            "read at the same moment.",
                            format_bytes(own.bytes), format_bytes(reserved - own.bytes)));
        }
    }

    void add_rest() {
        const bool knows_all = knows_own_ && knows_others_ && figures_.free;
        if (knows_all && left_ > use_.rounding_bytes)
            add_row({CardPart::no_process, left_, {}, "of no process: the driver's own"});
        else
            add_row({CardPart::unknown, left_, {}, knows_all ? "lost in rounding" : unknown_words()});
    }

    std::string unknown_words() const {
        std::string words = "not told: ";
        if (!figures_.free) words += "free, ";
        if (!share_) words += is_beyond_ ? "PyTorch's memory on the card, " : "PyTorch, ";
        if (!knows_own_) words += "CUDA context and libraries of this process, ";
        if (!knows_others_) words += "other processes, ";
        return words.substr(0, words.size() - 2);
    }

    void describe_off_card() {
        if (use_.bytes_of(CardPart::this_process) > 0 && share_)
            use_.notes.push_back(
                "Outside PyTorch's allocator are the CUDA context and libraries such as NCCL, cuBLAS and cuDNN. Nothing "
                "tells how much each of them holds.");
        if (use_.rounding_bytes > 0)
            use_.notes.push_back(fmt::format("The message rounds its figures; together they may be off by {}.",
                                             format_bytes(use_.rounding_bytes)));
        if (!is_beyond_ && use_.excess_bytes > use_.rounding_bytes)
            use_.notes.push_back(
                fmt::format("What was told is {} more than the card has, so the figures are not of one moment.",
                            format_bytes(use_.excess_bytes)));
    }

    const CardFigures& figures_;
    CardUse& use_;
    std::optional<AllocatorShare> share_;
    std::uint64_t left_ = 0;
    bool knows_own_ = false;
    bool knows_others_ = false;
    bool is_ambiguous_ = false;
    bool is_beyond_ = false;  ///< True if PyTorch counts memory that is not on the card
};

CardUse compute_card_use(const space::AddressSpace& space, CardFigures figures, std::optional<std::uint32_t> oom_event) {
    const std::uint32_t moment = oom_event ? *oom_event + 1 : space.moment_count() - 1;
    CardUse use;
    use.moment = moment;
    use.is_of_oom = oom_event.has_value();
    // The snapshot contains the exact number, the message a rounded one.
    const auto free_bytes = oom_event ? space.facts().trace.events.free_bytes(*oom_event) : std::nullopt;
    if (free_bytes && figures.source == FiguresSource::message) figures.free = RoundedBytes{*free_bytes};
    const ReservedKnown known = space.facts().trace.reserved_known;
    const space::AddressMoment then = space.at(moment);
    const bool is_known =
        known == ReservedKnown::throughout || (known == ReservedKnown::at_end && moment + 1 == space.moment_count());
    CardSum(figures, use).add(space, is_known && then.reserved_bytes > 0 ? &then : nullptr);
    return use;
}

/// Returns true if the figures describe the moment of an out-of-memory event.
bool are_of_event(const CardFigures& figures, const EventColumns& events, std::uint32_t event) {
    return are_of_oom(figures, events.size_bytes[event], events.free_bytes(event));
}

/// Returns the last out-of-memory event for which `is_meant(event)` is true, or nullopt.
template <typename IsMeant>
std::optional<std::uint32_t> last_oom_event(const EventColumns& events, const IsMeant& is_meant) {
    for (auto event = static_cast<std::uint32_t>(events.size()); event-- > 0;) {
        if (events.is_oom(event) && is_meant(event)) return event;
    }
    return std::nullopt;
}

/// Returns the use of a card of the given size, according to the snapshot alone.
CardUse use_of_given(const space::AddressSpace& space, std::uint64_t total_bytes) {
    const EventColumns& events = space.facts().trace.events;
    CardFigures figures{.source = FiguresSource::given, .total = RoundedBytes{total_bytes}};
    // The amount of free memory is recorded by out-of-memory events only.
    const auto oom = last_oom_event(events, [](std::uint32_t) { return true; });
    const auto free_bytes = oom ? events.free_bytes(*oom) : std::nullopt;
    if (free_bytes) figures.free = RoundedBytes{*free_bytes};
    return compute_card_use(space, figures, oom);
}

bool is_usable(const CardFigures& figures, const space::AddressSpace& space) {
    return figures.total && figures.total->bytes > 0 && figures.device == space.facts().trace.device;
}

std::string excess_text(const BeyondCard& beyond, const RoundedBytes& free) {
    const bool fits_alone = beyond.reserved_bytes <= beyond.card_bytes;
    std::string text = fmt::format(
        "PyTorch counts {}{}, the card has {}; the rest is in host memory (Windows, WSL) or in a pool that was put to "
        "sleep.",
        format_bytes(beyond.reserved_bytes), fits_alone ? fmt::format(" with {} free", format_bytes(free.bytes)) : "",
        format_bytes(beyond.card_bytes));
    if (beyond.pools.empty()) return text;
    std::string names;
    std::uint64_t bytes = 0;
    for (const space::PoolHolding& pool : beyond.pools) {
        names += (names.empty() ? "" : ", ") + pool.pool;
        bytes += pool.reserved;
    }
    const bool is_one = beyond.pools.size() == 1;
    return text + fmt::format(" The private {} {}, {}, {} for the difference.", is_one ? "pool" : "pools", names,
                              format_bytes(bytes), is_one ? "accounts" : "account");
}

}  // namespace

const char* card_part_name(CardPart part) {
    constexpr const char* k_names[] = {"allocated",       "pending", "idle",       "private_idle", "this_process",
                                       "other_processes", "free",    "no_process", "unknown"};
    return k_names[static_cast<std::size_t>(part)];
}

std::uint64_t CardUse::bytes_of(CardPart part) const {
    std::uint64_t bytes = 0;
    for (const CardRow& row : rows) bytes += row.part == part ? row.bytes : 0;
    return bytes;
}

const CardRow* CardUse::largest(CardPart part) const {
    const CardRow* largest = nullptr;
    for (const CardRow& row : rows) {
        if (row.part == part && (largest == nullptr || row.bytes > largest->bytes)) largest = &row;
    }
    return largest;
}

std::vector<CardUse> card_uses(const space::AddressSpace& space, std::span<const CardFigures> figures,
                               std::optional<std::uint64_t> given_total_bytes) {
    std::vector<CardUse> uses;
    const EventColumns& events = space.facts().trace.events;
    for (const CardFigures& each : figures) {
        if (!is_usable(each, space)) continue;
        const auto is_described = [&](std::uint32_t event) { return are_of_event(each, events, event); };
        uses.push_back(compute_card_use(space, each, last_oom_event(events, is_described)));
    }
    if (uses.empty() && given_total_bytes.value_or(0) > 0) uses.push_back(use_of_given(space, *given_total_bytes));
    return uses;
}

std::optional<CardUse> card_use_of_oom(const space::AddressSpace& space, std::span<const CardFigures> figures,
                                       std::uint32_t event) {
    const EventColumns& events = space.facts().trace.events;
    std::optional<CardUse> best;
    for (const CardFigures& each : figures) {
        if (!is_usable(each, space) || !are_of_event(each, events, event)) continue;
        CardUse use = compute_card_use(space, each, event);
        const auto has_other_processes = [](const CardUse& reported) {
            return reported.largest(CardPart::other_processes) != nullptr;
        };
        const bool is_better =
            !best || has_other_processes(use) > has_other_processes(*best) ||
            (has_other_processes(use) == has_other_processes(*best) && use.rounding_bytes < best->rounding_bytes);
        if (is_better) best = std::move(use);
    }
    return best;
}

std::optional<std::uint64_t> limit_of_oom(const space::AddressSpace& space, std::span<const CardFigures> figures,
                                          std::uint32_t event) {
    const EventColumns& events = space.facts().trace.events;
    for (const CardFigures& each : figures) {
        if (each.allowed && each.device == space.facts().trace.device && are_of_event(each, events, event))
            return each.allowed->bytes;
    }
    return std::nullopt;
}

std::string other_users_words(const CardUse& use) {
    const auto count = std::ranges::count(use.rows, CardPart::other_processes, &CardRow::part);
    if (count == 0) return "";
    return count == 1 ? use.largest(CardPart::other_processes)->words : fmt::format("{} other processes", count);
}

std::optional<BeyondCard> beyond_card(const RoundedBytes& reserved, const std::optional<RoundedBytes>& free,
                                      const RoundedBytes& card, std::vector<space::PoolHolding> pools) {
    const RoundedBytes known_free = free.value_or(RoundedBytes{});
    const std::uint64_t together = reserved.bytes + known_free.bytes;
    if (together <= card.bytes + card.max_error_bytes + reserved.max_error_bytes + known_free.max_error_bytes)
        return std::nullopt;
    BeyondCard beyond{reserved.bytes, card.bytes, together - card.bytes, {}, {}};
    std::ranges::stable_sort(pools, std::ranges::greater(), &space::PoolHolding::reserved);
    std::uint64_t accounted = 0;
    for (const space::PoolHolding& pool : pools) {
        if (accounted >= beyond.excess_bytes) break;
        accounted += pool.reserved;
        beyond.pools.push_back(pool);
    }
    if (accounted < beyond.excess_bytes) beyond.pools.clear();
    beyond.sentence = excess_text(beyond, known_free);
    return beyond;
}

}  // namespace snapviewer::oom
