#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/oom.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

std::string cause_words(OomCause cause) {
    std::string words = oom_cause_name(cause);
    for (char& each : words) each = each == '_' ? ' ' : each;
    return words;
}

std::uint64_t all_there_is(const OomVerdict& v) { return v.reserved + v.device_free.value_or(0); }

double live_percent(const OomVerdict& v) {
    return all_there_is(v) == 0 ? 0 : 100 * static_cast<double>(v.allocated) / static_cast<double>(all_there_is(v));
}

void say_fragmentation(OomVerdict& v) {
    v.sentence = fmt::format(
        "{} of the reserved memory was idle, but fragmented: the largest usable hole was {}, and {} was requested.",
        format_bytes(v.idle_default), format_bytes(v.largest_usable_hole), format_bytes(v.demand));
    if (v.idle_other_streams >= v.demand && v.largest_hole >= v.demand) {
        v.sentence += " A hole large enough belongs to another stream.";
        v.hint = "Allocate large tensors on one stream, or call torch.cuda.empty_cache() after the side stream is done.";
    } else if (!v.settings.expandable_segments) {
        v.is_helped_by_joining = true;
    } else {
        v.hint = "Expandable segments are on already; see which blocks pin the segments.";
    }
}

void say_mixed(OomVerdict& v) {
    std::string parts;
    for (const OomFactor& factor : v.contributing) {
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", format_bytes(factor.bytes), cause_words(factor.cause));
    }
    v.sentence = fmt::format("No single cause: room for {} needs all of these: {}.", format_bytes(v.demand), parts);
    v.is_helped_by_joining = !v.settings.expandable_segments;
}

/// Words for a full card. They name the card only if memory outside PyTorch's allocator is not among the causes.
std::string full_words(const OomVerdict& v) {
    const bool has_outside = std::ranges::find(v.contributing, OomCause::outside, &OomFactor::cause) != v.contributing.end();
    const std::uint64_t whole = v.card_bytes && !has_outside ? *v.card_bytes : all_there_is(v);
    return fmt::format("{}: {} of {} ({})", v.card_bytes && !has_outside ? "the device" : "what this process could get",
                       format_bytes(v.allocated), format_bytes(whole), format_share(v.allocated, whole));
}

void say_capacity(OomVerdict& v) {
    v.sentence = fmt::format("Live memory fills {}; only {} was idle when {} was requested.", full_words(v),
                             format_bytes(v.idle), format_bytes(v.demand));
    for (const SourceBytes& holder : v.largest_sources) {
        v.hint += fmt::format("{}{} {}", v.hint.empty() ? "Largest: " : "; ", holder.source, format_bytes(holder.bytes));
    }
}

/// Explains memory outside PyTorch's allocator. The advice depends on its owner: memory of other processes can be freed by
/// ending them, but the rest belongs to this job or to the driver.
void say_outside(OomVerdict& v, const CardUse& card) {
    const std::uint64_t others = card.bytes_of(CardPart::other_processes);
    const std::uint64_t own = card.bytes_of(CardPart::this_process);
    const std::uint64_t driver = card.bytes_of(CardPart::no_process);
    const std::uint64_t unknown = card.bytes_of(CardPart::unknown);
    const std::uint64_t outside = others + own + driver + unknown;
    v.sentence = fmt::format("{} of the card's {} were held outside PyTorch's allocator", format_bytes(outside),
                             format_bytes(card.total_bytes));
    std::string parts;
    const auto add = [&](std::uint64_t bytes, const std::string& whose) {
        if (bytes > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", format_bytes(bytes), whose);
    };
    if (others > 0) add(others, "by " + other_users_words(card));
    add(own, "by this process itself (CUDA context, NCCL and other libraries)");
    add(driver, "by the driver");
    add(unknown, "by what is not told");
    v.sentence += parts.empty() ? "." : fmt::format(": {}.", parts);
    if (others >= own + unknown)
        v.hint = "End what else runs on the card, or run this job on one of its own; nvidia-smi lists the processes.";
    else if (own >= unknown)
        v.hint =
            "See which libraries of this process hold memory on the card: NCCL's buffers grow with the number of "
            "communicators.";
    else
        v.hint = "Look at nvidia-smi for other processes on the device.";
}

/// Adds a sentence about other users of the card, unless they are the cause.
void say_who_else(OomVerdict& v, const CardUse& card) {
    constexpr std::uint64_t k_least_part = 100;  // the minimum is 1/100 of the card
    const std::uint64_t others = card.bytes_of(CardPart::other_processes);
    if (v.cause == OomCause::outside || others < card.total_bytes / k_least_part) return;
    v.sentence += fmt::format(" {} of the card's {} belong to {}.", format_bytes(others), format_bytes(card.total_bytes),
                              other_users_words(card));
}

const char* why_unknown(const OomVerdict& v) {
    if (!v.lists_segments) return "the file lists no segments";
    return v.device_free ? "how much was reserved at that moment is unknown"
                         : "how much the device had free at that moment is unknown";
}

void say_limit(OomVerdict& v) {
    if (v.limit_bytes) {
        v.sentence = fmt::format("A limit of {} refused it: {} was reserved, and {} more would pass the limit.",
                                 format_bytes(*v.limit_bytes), format_bytes(v.reserved), format_bytes(v.driver_bytes));
        v.hint = "Raise the limit (torch.cuda.set_per_process_memory_fraction), or hold less memory.";
        return;
    }
    v.sentence = fmt::format("{} was refused although {} was free on the device.", format_bytes(v.demand),
                             format_bytes(v.device_free.value_or(0)));
    v.hint =
        "A limit refused it (torch.cuda.set_per_process_memory_fraction), or another process took memory at that moment.";
}

void say_cause(OomVerdict& v) {
    switch (v.cause) {
        case OomCause::unknown:
            v.sentence = format_bytes(v.demand) + " was refused";
            v.sentence += v.beyond ? "." : fmt::format("; {}, so the cause can't be determined.", why_unknown(v));
            break;
        case OomCause::limit: say_limit(v); break;
        case OomCause::too_large:
            v.sentence = fmt::format("The request alone ({}) exceeds everything this process held or could get ({}).",
                                     format_bytes(v.demand), format_bytes(all_there_is(v)));
            v.hint = fmt::format(
                "See what requests it: {}. If the device is larger than that, something outside PyTorch holds the rest.",
                v.stack_source);
            break;
        case OomCause::pending:
            v.sentence = fmt::format(
                "{} was already freed but may still be in use on another stream; once those frees complete, {} would have "
                "fit.",
                format_bytes(v.pending), format_bytes(v.demand));
            v.hint = "Wait for the side stream before the next large allocation, or use fewer record_stream calls.";
            break;
        case OomCause::private_pools:
            v.sentence =
                fmt::format("{} is idle in private pools of CUDA graphs or MemPool, which this request may not use.",
                            format_bytes(v.idle_private));
            v.hint = "Let graphs share one pool (torch.cuda.graph_pool_handle), or capture fewer shapes.";
            break;
        case OomCause::unreleased:
            v.sentence = fmt::format(
                "{} in segments without a live block was not returned to the driver; it would have made room. "
                "PyTorch does that by itself, except while a CUDA graph is captured.",
                format_bytes(v.idle_whole_segments));
            v.hint = "Call torch.cuda.empty_cache() before the capture.";
            break;
        case OomCause::fragmentation: say_fragmentation(v); break;
        case OomCause::outside:
            if (v.card) {
                say_outside(v, *v.card);
                break;
            }
            v.sentence = fmt::format(
                "{}{} of the device was held outside PyTorch's allocator: by other processes, or by libraries such as "
                "NCCL.",
                v.outside_is_bound ? "At least " : "",
                format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, v.outside.value_or(0)))));
            v.hint = "Look at nvidia-smi for other processes on the device.";
            break;
        case OomCause::mixed: say_mixed(v); break;
        case OomCause::capacity: say_capacity(v); break;
    }
}

}  // namespace

const char* oom_cause_name(OomCause cause) {
    constexpr std::array<const char*, 10> k_names = {"unknown",    "limit",         "too_large", "pending", "private_pools",
                                                     "unreleased", "fragmentation", "outside",   "mixed",   "capacity"};
    return k_names[static_cast<std::size_t>(cause)];
}

void put_into_words(OomVerdict& v) {
    constexpr double k_nearly_full_percent = 95;
    v.sentence.clear();
    v.hint.clear();
    v.is_helped_by_joining = false;
    say_cause(v);
    const bool is_of_idle_memory = v.cause == OomCause::fragmentation || v.cause == OomCause::mixed ||
                                   v.cause == OomCause::private_pools || v.cause == OomCause::pending;
    if (is_of_idle_memory && v.device_free && live_percent(v) >= k_nearly_full_percent)
        v.sentence += fmt::format(" Live memory already fills {}.", full_words(v));
    if (v.beyond) v.sentence += " " + v.beyond->sentence;
    if (v.card) say_who_else(v, *v.card);
}

}  // namespace snapviewer
