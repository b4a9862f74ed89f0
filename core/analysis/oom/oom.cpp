#include "core/analysis/oom/oom.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/analysis/space/holes.h"
#include "core/base/context.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"
#include "core/timeline/totals.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::oom {
namespace {

constexpr const char* k_setting = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";

bool is_gain(std::uint64_t bytes, std::uint64_t recorded_bytes) {
    constexpr double k_min_gain = 0.02;
    return static_cast<double>(bytes) <= (1 - k_min_gain) * static_cast<double>(recorded_bytes);
}

/// Returns a hint with the text `promise`. `is_confirmed(run)` returns whether the replay from one start confirms the
/// promise.
template <typename IsConfirmed>
std::string hint_of(const ExpandableGain& gain, const std::string& promise, IsConfirmed is_confirmed) {
    if (!gain.has_events) return "";
    const std::ptrdiff_t confirmed = gain.by_start ? std::ranges::count_if(*gain.by_start, is_confirmed) : 1;
    if (confirmed == 0) return "";
    return confirmed == 2 ? promise : fmt::format("{} may avoid this fragmentation.", k_setting);
}

}  // namespace

std::string expandable_hint(const ExpandableGain& gain) {
    std::uint64_t recorded_peak = 0;
    std::uint64_t peak = 0;
    if (gain.by_start) {
        const auto& higher = std::ranges::max(*gain.by_start, {}, &ExpandableRun::peak_bytes);
        recorded_peak = higher.recorded_peak_bytes;
        peak = higher.peak_bytes;
    }
    const std::string promise = fmt::format("With {}, a replay of this recording reserves at most {} instead of {}.",
                                            k_setting, format_bytes(peak), format_bytes(recorded_peak));
    return hint_of(gain, promise, [](const ExpandableRun& run) { return is_gain(run.peak_bytes, run.recorded_peak_bytes); });
}

std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes) {
    const std::string promise = fmt::format("With {}, a replay of this recording serves this request.", k_setting);
    return hint_of(gain, promise, [&](const ExpandableRun& run) {
        const auto served = run.reserved_with_request.find(event);
        return served != run.reserved_with_request.end() && is_gain(served->second, needed_bytes);
    });
}

const char* oom_cause_name(OomCause cause) {
    constexpr std::array<const char*, 10> k_names = {"unknown",    "limit",         "too_large", "pending", "private_pools",
                                                     "unreleased", "fragmentation", "outside",   "mixed",   "capacity"};
    return k_names[static_cast<std::size_t>(cause)];
}

bool OomVerdict::is_helped_by_joining() const {
    return !settings.expandable_segments &&
           (cause == OomCause::mixed || (cause == OomCause::fragmentation && !has_hole_elsewhere()));
}

namespace {

constexpr std::uint64_t k_typical_outside_bytes = k_gib;  // usual size of the CUDA context, cuBLAS and the buffers of NCCL
constexpr double k_significant_share = 0.01;  // minimum share of the reserved and free memory for a cause to count
constexpr std::size_t k_named_sources = 3;

/// Limit on the work for verdicts. Verdicts are made for the last oom events, as long as their live blocks together do not
/// exceed k_base_judged_blocks plus one block for every three bytes of the file. Each event counts as 1,000 blocks more than
/// it has. Earlier events are only counted.
constexpr std::uint64_t k_base_judged_blocks = 2'700'000;
constexpr std::uint64_t k_bytes_per_judged_block = 3;
constexpr std::uint64_t k_blocks_of_event = 1000;

std::uint64_t hole_bytes_of(const space::AddressMoment& moment, const space::AddressMoment::Range& range,
                            std::uint64_t& largest) {
    std::uint64_t total = 0;
    space::for_each_hole(moment, range, [&](const space::Hole& hole) {
        total += hole.size_bytes();
        largest = std::max(largest, hole.size_bytes());
    });
    return total;
}

// The verdict in words.

std::uint64_t total_available(const OomVerdict& v) { return v.reserved + v.device_free.value_or(0); }

double live_percent(const OomVerdict& v) {
    return total_available(v) == 0 ? 0 : 100 * static_cast<double>(v.allocated) / static_cast<double>(total_available(v));
}

std::string cause_words(OomCause cause) {
    std::string words = oom_cause_name(cause);
    std::ranges::replace(words, '_', ' ');
    return words;
}

/// A cause and advice as sentences; the advice may be empty.
struct CauseWords {
    std::string sentence;
    std::string hint = {};
};

CauseWords fragmentation_words(const OomVerdict& v) {
    const std::string sentence = fmt::format(
        "{} of the reserved memory was idle, but fragmented: the largest usable hole was {}, and {} was requested.",
        format_bytes(v.idle_default), format_bytes(v.largest_usable_hole), format_bytes(v.demand));
    if (v.has_hole_elsewhere())
        return {sentence + " A hole large enough belongs to another stream.",
                "Allocate large tensors on one stream, or call torch.cuda.empty_cache() after the side stream is done."};
    if (!v.settings.expandable_segments) return {sentence};
    return {sentence, "Expandable segments are on already; see which blocks pin the segments."};
}

std::string mixed_sentence(const OomVerdict& v) {
    std::string parts;
    for (const OomFactor& factor : v.contributing)
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", format_bytes(factor.bytes), cause_words(factor.cause));
    return fmt::format("No single cause: room for {} needs all of these: {}.", format_bytes(v.demand), parts);
}

/// Words for a full card. They name the card only if memory outside PyTorch's allocator is not among the causes.
std::string full_words(const OomVerdict& v) {
    const bool has_outside = std::ranges::find(v.contributing, OomCause::outside, &OomFactor::cause) != v.contributing.end();
    const bool is_of_card = v.card_bytes && !has_outside;
    const std::uint64_t whole = is_of_card ? *v.card_bytes : total_available(v);
    return fmt::format("{}: {} of {} ({})", is_of_card ? "the device" : "what this process could get",
                       format_bytes(v.allocated), format_bytes(whole), format_share(v.allocated, whole));
}

CauseWords capacity_words(const OomVerdict& v) {
    std::string largest;
    for (const stacks::SourceBytes& holder : v.largest_sources)
        largest += fmt::format("{}{} {}", largest.empty() ? "Largest: " : "; ", holder.source, format_bytes(holder.bytes));
    return {fmt::format("Live memory fills {}; only {} was idle when {} was requested.", full_words(v),
                        format_bytes(v.idle()), format_bytes(v.demand)),
            largest};
}

/// Explains memory outside PyTorch's allocator. The advice depends on its owner: memory of other processes can be freed by
/// ending them, but the rest belongs to this job or to the driver.
CauseWords outside_words(const CardUse& card) {
    const std::uint64_t others = card.bytes_of(CardPart::other_processes);
    const std::uint64_t own = card.bytes_of(CardPart::this_process);
    const std::uint64_t unknown = card.bytes_of(CardPart::unknown);
    std::string parts;
    std::uint64_t outside = 0;
    const auto add = [&](std::uint64_t bytes, const std::string& whose) {
        outside += bytes;
        if (bytes > 0) parts += fmt::format("{} {} {}", parts.empty() ? ":" : ",", format_bytes(bytes), whose);
    };
    add(others, "by " + other_users_words(card));
    add(own, "by this process itself (CUDA context, NCCL and other libraries)");
    add(card.bytes_of(CardPart::no_process), "by the driver");
    add(unknown, "by what is not told");
    return {fmt::format("{} of the card's {} were held outside PyTorch's allocator{}.", format_bytes(outside),
                        format_bytes(card.total_bytes), parts),
            others >= own + unknown
                ? "End what else runs on the card, or run this job on one of its own; nvidia-smi lists the processes."
            : own >= unknown
                ? "See which libraries of this process hold memory on the card: NCCL's buffers grow with the number of "
                  "communicators."
                : "Look at nvidia-smi for other processes on the device."};
}

std::string unknown_sentence(const OomVerdict& v) {
    const std::string sentence = format_bytes(v.demand) + " was refused";
    if (v.beyond) return sentence + ".";
    return fmt::format("{}; {}, so the cause can't be determined.", sentence,
                       !v.lists_segments ? "the file lists no segments"
                       : v.device_free   ? "how much was reserved at that moment is unknown"
                                         : "how much the device had free at that moment is unknown");
}

CauseWords limit_words(const OomVerdict& v) {
    if (v.limit_bytes)
        return {fmt::format("A limit of {} refused it: {} was reserved, and {} more would pass the limit.",
                            format_bytes(*v.limit_bytes), format_bytes(v.reserved), format_bytes(v.driver_bytes)),
                "Raise the limit (torch.cuda.set_per_process_memory_fraction), or hold less memory."};
    return {
        fmt::format("{} was refused although {} was free on the device.", format_bytes(v.demand),
                    format_bytes(v.device_free.value_or(0))),
        "A limit refused it (torch.cuda.set_per_process_memory_fraction), or another process took memory at that moment."};
}

CauseWords cause_in_words(const OomVerdict& v) {
    switch (v.cause) {
        case OomCause::unknown: return {unknown_sentence(v)};
        case OomCause::limit: return limit_words(v);
        case OomCause::too_large:
            return {fmt::format("The request alone ({}) exceeds everything this process held or could get ({}).",
                                format_bytes(v.demand), format_bytes(total_available(v))),
                    fmt::format("See what requests it: {}. If the device is larger than that, something outside PyTorch "
                                "holds the rest.",
                                v.stack_source)};
        case OomCause::pending:
            return {fmt::format("{} was already freed but may still be in use on another stream; once those frees complete, "
                                "{} would have fit.",
                                format_bytes(v.pending), format_bytes(v.demand)),
                    "Wait for the side stream before the next large allocation, or use fewer record_stream calls."};
        case OomCause::private_pools:
            return {fmt::format("{} is idle in private pools of CUDA graphs or MemPool, which this request may not use.",
                                format_bytes(v.idle_private)),
                    "Let graphs share one pool (torch.cuda.graph_pool_handle), or capture fewer shapes."};
        case OomCause::unreleased:
            return {fmt::format("{} in segments without a live block was not returned to the driver; it would have made "
                                "room. PyTorch does that by itself, except while a CUDA graph is captured.",
                                format_bytes(v.idle_whole_segments)),
                    "Call torch.cuda.empty_cache() before the capture."};
        case OomCause::fragmentation: return fragmentation_words(v);
        case OomCause::outside:
            if (v.card) return outside_words(*v.card);
            return {fmt::format("{}{} of the device was held outside PyTorch's allocator: by other processes, or by "
                                "libraries such as NCCL.",
                                v.outside_is_bound ? "At least " : "",
                                format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, v.outside.value_or(0))))),
                    "Look at nvidia-smi for other processes on the device."};
        case OomCause::mixed: return {mixed_sentence(v)};
        case OomCause::capacity: return capacity_words(v);
    }
    return {};
}

/// Fills `sentence` and `hint` of a verdict from its numbers.
void write_sentences(OomVerdict& v) {
    constexpr double k_nearly_full_percent = 95;
    constexpr std::uint64_t k_min_part = 100;  // other processes with less than 1/100 of the card are not mentioned
    auto [sentence, hint] = cause_in_words(v);
    const bool is_of_idle_memory = v.cause == OomCause::fragmentation || v.cause == OomCause::mixed ||
                                   v.cause == OomCause::private_pools || v.cause == OomCause::pending;
    if (is_of_idle_memory && v.device_free && live_percent(v) >= k_nearly_full_percent)
        sentence += fmt::format(" Live memory already fills {}.", full_words(v));
    if (v.beyond) sentence += " " + v.beyond->sentence;
    const std::uint64_t others = v.card ? v.card->bytes_of(CardPart::other_processes) : 0;
    if (v.card && v.cause != OomCause::outside && others >= v.card->total_bytes / k_min_part)
        sentence += fmt::format(" {} of the card's {} belong to {}.", format_bytes(others),
                                format_bytes(v.card->total_bytes), other_users_words(*v.card));
    v.sentence = std::move(sentence);
    v.hint = std::move(hint);
}

/// Measures the state of the allocator at an oom event.
class OomScene {
public:
    OomScene(const Timeline& timeline, const StackLines& lines, const space::AddressSpace& space, const Capacity& capacity,
             const OomSettings& settings, std::span<const CardFigures> figures, std::uint32_t event)
        : timeline_(timeline),
          lines_(lines),
          facts_(space.facts()),
          events_(facts_.trace.events),
          capacity_(capacity),
          moment_(space.at(event + 1)),
          knows_reserved_(!moment_.ranges.empty() && facts_.trace.reserved_known == ReservedKnown::throughout) {
        found_.event = event;
        found_.settings = settings;
        found_.card = card_use_of_oom(space, figures, event);
        found_.limit_bytes = limit_of_oom(space, figures, event);
        if (capacity.card) found_.card_bytes = capacity.card->total.bytes;
        found_.lists_segments = !facts_.final_ranges.empty();
        found_.demand = events_.size_bytes[event];
        found_.device_free = events_.free_bytes(event);
        find_beyond_card();
        wanted_ = {events_.stream[event], facts_.pools.known(events_.pool[event]), found_.demand <= k_mib, false};
    }

    OomVerdict judge(bool is_recovered) {
        found_.is_recovered = is_recovered;
        add_blocks();
        for (const space::AddressMoment::Range& range : moment_.ranges) add_range(range);
        found_.driver_bytes = driver_bytes();
        find_outside();
        find_cause();
        found_.largest_sources =
            stacks::largest_sources(timeline_, lines_, tick_of_moment(timeline_, found_.event + 1), k_named_sources);
        found_.stack_source = lines_.source(events_.stack[found_.event]);
        write_sentences(found_);
        return std::move(found_);
    }

private:
    void add_blocks() {
        found_.reserved = moment_.reserved_bytes;
        found_.pending = moment_.pending_bytes;
        found_.allocated = moment_.active_bytes - moment_.pending_bytes;
        const AllocationColumns& allocations = facts_.trace.allocations;
        const auto add = [&](const space::AddressMoment::Block& block, const space::AddressRange* range) {
            const AllocationId id = block.allocation;
            if (!block.is_pending) {
                if (id.is_some()) found_.requested += allocations.size_bytes[id.value];
                return;
            }
            std::uint64_t stream = 0;
            if (range != nullptr || id.is_some())
                stream = facts_.snapshot.streams[range != nullptr ? range->traits.stream : allocations.stream[id.value]];
            found_.pending_by_stream[stream] += block.size_bytes;
        };
        for (const space::AddressMoment::Range& range : moment_.ranges) {
            for (const space::AddressMoment::Block& block : moment_.blocks_of(range)) add(block, &range.range);
        }
        for (const space::AddressMoment::Block& block : moment_.outside) add(block, nullptr);
    }

    bool is_usable(const space::RangeTraits& traits) const {
        return traits.stream == wanted_.stream && traits.is_small == wanted_.is_small &&
               facts_.pools.known(traits.pool) == wanted_.pool;
    }

    void add_range(const space::AddressMoment::Range& range) {
        const space::RangeTraits& traits = range.range.traits;
        std::uint64_t largest = 0;
        const std::uint64_t idle = hole_bytes_of(moment_, range, largest);
        if (facts_.pools.is_private(traits.pool)) {
            found_.idle_private += idle;
            private_hole_ = std::max(private_hole_, largest);
        } else {
            found_.idle_default += idle;
            if (traits.stream != wanted_.stream) found_.idle_other_streams += idle;
            found_.idle_whole_segments += space::returnable_bytes(moment_, range);
        }
        found_.largest_hole = std::max(found_.largest_hole, largest);
        if (is_usable(traits)) found_.largest_usable_hole = std::max(found_.largest_usable_hole, largest);
        add_without_pending(range);
    }

    void add_without_pending(const space::AddressMoment::Range& range) {
        std::uint64_t largest = 0;
        space::for_each_hole(
            moment_, range, [&](const space::Hole& hole) { largest = std::max(largest, hole.size_bytes()); },
            [](const space::AddressMoment::Block& block) { return !block.is_pending; });
        if (is_usable(range.range.traits))
            found_.largest_hole_without_pending = std::max(found_.largest_hole_without_pending, largest);
        if (largest == range.range.size_bytes) emptied_bytes_ += range.range.size_bytes;
    }

    /// Bytes that the allocator would request from the driver. An expandable segment grows at its end by whole pages, so a
    /// hole at the end is used first.
    std::uint64_t driver_bytes() const {
        if (!found_.settings.expandable_segments) return segment_bytes_for(found_.demand);
        std::uint64_t tail_bytes = 0;
        for (const space::AddressMoment::Range& range : moment_.ranges) {
            const space::RangeTraits& traits = range.range.traits;
            if (!traits.is_expandable || traits.stream != wanted_.stream || traits.is_small != wanted_.is_small) continue;
            space::for_each_hole(moment_, range, [&](const space::Hole& hole) {
                if (hole.end == range.range.end()) tail_bytes = std::max(tail_bytes, hole.size_bytes());
            });
        }
        const std::uint64_t page = space::driver_page_bytes(wanted_);
        const std::uint64_t missing = found_.demand > tail_bytes ? found_.demand - tail_bytes : 0;
        return std::max(page, (missing + page - 1) / page * page);
    }

    std::uint64_t min_free() const { return found_.device_free.value_or(0); }
    /// Bytes that the process held or could have obtained; a lower bound if the free memory is unknown.
    std::uint64_t obtainable_bytes() const { return found_.reserved + min_free(); }

    void find_beyond_card() {
        if (!knows_reserved_ || !capacity_.card) return;
        const auto free = found_.device_free ? std::optional(RoundedBytes{*found_.device_free}) : std::nullopt;
        found_.beyond = beyond_card(RoundedBytes{moment_.reserved_bytes}, free, capacity_.card->total,
                                    space::private_pools_at(moment_, facts_.pools));
    }

    /// Computes the memory outside the allocator. Leaves it unknown if PyTorch counts memory that is not on the card.
    void find_outside() {
        if (!found_.device_free || found_.beyond) return;
        if (found_.card && capacity_.card->source != FiguresSource::given) {
            find_outside_of_card(*found_.card);
        } else if (capacity_.card) {
            found_.outside = static_cast<std::int64_t>(capacity_.card->total.bytes - obtainable_bytes());
            const std::int64_t unusual_bytes = *found_.outside - static_cast<std::int64_t>(k_typical_outside_bytes);
            taken_bytes_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, unusual_bytes));
        } else if (capacity_.bound_bytes > obtainable_bytes()) {
            taken_bytes_ = capacity_.bound_bytes - obtainable_bytes();
            found_.outside = static_cast<std::int64_t>(taken_bytes_);
            found_.outside_is_bound = true;
        }
    }

    /// Counts all memory of other processes. Memory of this process and of the driver counts only beyond the usual amount
    /// for a context and libraries.
    void find_outside_of_card(const CardUse& card) {
        found_.outside = static_cast<std::int64_t>(card.total_bytes - obtainable_bytes());
        const std::uint64_t rest =
            card.bytes_of(CardPart::this_process) + card.bytes_of(CardPart::no_process) + card.bytes_of(CardPart::unknown);
        taken_bytes_ =
            card.bytes_of(CardPart::other_processes) + (rest > k_typical_outside_bytes ? rest - k_typical_outside_bytes : 0);
    }

    /// The causes that hold back memory, each with its bytes and whether the request would fit if the cause did not exist.
    std::array<OomFactor, 5> factors() const {
        const OomVerdict& v = found_;
        const std::uint64_t idle_pinned = v.idle_default - v.idle_whole_segments;
        const auto driver_has = [&](std::uint64_t bytes) { return min_free() + bytes >= v.driver_bytes; };
        return {
            {{OomCause::pending, v.pending, v.largest_hole_without_pending >= v.demand || driver_has(emptied_bytes_)},
             {OomCause::private_pools, v.idle_private,
              v.idle_private > 0 && (private_hole_ >= v.demand || driver_has(v.idle_private))},
             {OomCause::unreleased, v.idle_whole_segments, v.idle_whole_segments > 0 && driver_has(v.idle_whole_segments)},
             {OomCause::fragmentation, idle_pinned, idle_pinned > 0 && idle_pinned + min_free() >= v.demand},
             {OomCause::outside, taken_bytes_, taken_bytes_ > 0 && driver_has(taken_bytes_)}}};
    }

    void find_cause() {
        const auto significant = std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(k_significant_share * static_cast<double>(obtainable_bytes())));
        const std::array<OomFactor, 5> all = factors();
        std::vector<OomFactor> holding;
        for (const OomFactor& factor : all) {
            if (factor.bytes >= significant) holding.push_back(factor);
        }
        found_.cause = cause_among(holding);
        for (const OomFactor& factor : holding) {
            if (factor.cause != found_.cause) found_.contributing.push_back(factor);
        }
    }

    OomCause cause_among(const std::vector<OomFactor>& holding) const {
        if (!knows_reserved_) return OomCause::unknown;
        const bool passes_limit = found_.limit_bytes && found_.reserved + found_.driver_bytes > *found_.limit_bytes;
        if (passes_limit || min_free() >= found_.driver_bytes) return OomCause::limit;
        const std::uint64_t most = std::max({obtainable_bytes(), capacity_.bound_bytes, found_.card_bytes.value_or(0)});
        if (found_.device_free && found_.demand > most) return OomCause::too_large;
        if (found_.beyond) return OomCause::unknown;
        const OomFactor* largest = nullptr;
        std::uint64_t together_bytes = min_free();
        for (const OomFactor& factor : holding) {
            together_bytes += factor.bytes;
            if (factor.is_sufficient_cause && (largest == nullptr || factor.bytes > largest->bytes)) largest = &factor;
        }
        if (largest != nullptr) return largest->cause;
        if (!found_.device_free) return OomCause::unknown;
        return holding.size() > 1 && together_bytes >= found_.demand ? OomCause::mixed : OomCause::capacity;
    }

    const Timeline& timeline_;
    const StackLines& lines_;
    const space::AddressFacts& facts_;
    const EventColumns& events_;
    const Capacity& capacity_;
    space::AddressMoment moment_;
    bool knows_reserved_;
    space::RangeTraits wanted_;
    OomVerdict found_;
    std::uint64_t private_hole_ = 0;
    std::uint64_t emptied_bytes_ = 0;  ///< Bytes of segments that contain only pending blocks
    std::uint64_t taken_bytes_ = 0;    ///< Bytes outside the allocator beyond the usual amount
};

/// Returns the sentence about reserved memory that came close to the size of the device; empty if it did not.
std::string near_capacity_sentence(const Capacity& capacity) {
    constexpr double k_near = 0.95;
    if (!capacity.card) return "";
    const std::uint64_t total = capacity.card->total.bytes;
    const std::uint64_t reserved = capacity.max_reserved_bytes;
    if (static_cast<double>(reserved) < k_near * static_cast<double>(total)) return "";
    return fmt::format("Reserved memory reached {}, {} of the device.", format_bytes(reserved),
                       format_share(reserved, total));
}

void find_beyond_card(const space::AddressSpace& space, OomReport& report) {
    const ReservedKnown known = space.facts().trace.reserved_known;
    if (!report.capacity.card || known == ReservedKnown::no) return;
    report.beyond_moment =
        known == ReservedKnown::throughout ? report.capacity.max_reserved_moment : space.moment_count() - 1;
    const space::AddressMoment then = space.at(report.beyond_moment);
    report.beyond = beyond_card(RoundedBytes{then.reserved_bytes}, std::nullopt, report.capacity.card->total,
                                space::private_pools_at(then, space.facts().pools));
}

OomSettings settings_of(const space::AddressFacts& facts) {
    return {has_expandable_segments(facts.snapshot, facts.trace), setting_number(facts.snapshot, "max_split_size", -1),
            setting_number(facts.snapshot, "garbage_collection_threshold", 0)};
}

}  // namespace

OomReport oom_report(const Timeline& timeline, const StackLines& lines, const space::AddressSpace& space,
                     std::optional<std::uint64_t> device_total_bytes, std::span<const CardFigures> figures) {
    OomReport report;
    report.capacity = capacity_of(space, known_card_size(device_total_bytes, figures, space.facts().trace.device));
    find_beyond_card(space, report);
    const OomSettings settings = settings_of(space.facts());
    const EventColumns& events = space.facts().trace.events;
    const std::set<std::uint32_t> recovered = recovered_ooms(events);
    std::uint64_t judged_blocks = 0;
    const std::uint64_t max_blocks = k_base_judged_blocks + timeline.snapshot().read_bytes / k_bytes_per_judged_block;
    for (std::uint32_t event = static_cast<std::uint32_t>(events.size()); event-- > 0;) {
        if (events.action[event] != Action::oom) continue;
        check_stop();
        const std::uint64_t live = timeline.live_after_tick(tick_of_moment(timeline, event + 1)).size();
        judged_blocks += k_blocks_of_event + live;
        if (report.earlier_count > 0 || judged_blocks > max_blocks)
            ++report.earlier_count;
        else
            report.verdicts.push_back(OomScene(timeline, lines, space, report.capacity, settings, figures, event)
                                          .judge(recovered.contains(event)));
    }
    std::ranges::reverse(report.verdicts);
    const bool is_known = space.facts().trace.reserved_known == ReservedKnown::throughout;
    if (report.verdicts.empty() && is_known && !report.beyond)
        report.near_capacity = near_capacity_sentence(report.capacity);
    return report;
}

}  // namespace snapviewer::oom
