#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/findings/analyses.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/space/holes.h"
#include "core/base/text.h"
#include "core/timeline/overlays.h"

// Findings about reserved memory: the reasons for running out of it, and its idle parts.
namespace snapviewer::findings {
namespace {

constexpr std::uint64_t k_min_fragmented_bytes = 64 * k_mib;
constexpr std::uint64_t k_min_pinned_bytes = 16 * k_mib;
constexpr std::size_t k_allocations_named = 20;

/// SQL for a column of `holes` at the moment with the most reserved memory.
std::string holes_query(const DeviceAnalyses& device, const char* column) {
    return amount_query(column, "holes", {on_device(device)},
                        "ORDER BY reserved DESC, idle, event_id IS NOT NULL, event_id\nLIMIT 1");
}

void add_cached_idle(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    constexpr double k_min_share = 0.40;
    constexpr std::uint64_t k_min_bytes = k_gib;
    const space::HolesHistory& holes = *device.holes();
    const space::HolesRow& then = holes.at(holes.max_reserved_moment);
    if (share_of(then.idle, then.reserved) < k_min_share || then.idle < k_min_bytes) return;
    found.push_back({.code = "cached_idle",
                     .severity = FindingSeverity::notice,
                     .sentence = fmt::format(
                         "At most {} was reserved, and even then {} ({}) of it was idle: {} pinned by live blocks, {} that "
                         "torch.cuda.empty_cache() would return.",
                         format_bytes(then.reserved), format_bytes(then.idle), format_share(then.idle, then.reserved),
                         format_bytes(then.idle_pinned), format_bytes(then.idle - then.idle_pinned)),
                     .bytes = then.idle,
                     .moment = holes.max_reserved_moment,
                     .sql = holes_query(device, "idle")});
}

/// Size of the largest hole in the default pool that empty_cache() cannot return.
std::uint64_t largest_kept_hole(const space::AddressMoment& moment, const space::PoolNames& pools) {
    std::uint64_t largest = 0;
    for (const space::AddressMoment::Range& range : moment.ranges) {
        if (pools.is_private(range.range.traits.pool)) continue;
        space::for_each_kept_hole(moment, range,
                                  [&](const space::Hole& hole) { largest = std::max(largest, hole.size_bytes()); });
    }
    return largest;
}

void add_fragmentation(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const space::AddressSpace& space = *device.address_space();
    const space::HolesHistory& holes = *device.holes();
    const space::HolesRow& most = holes.at(holes.max_reserved_moment);
    const double share = share_of(most.idle_pinned, most.reserved);
    if (share < 0.10 || most.idle_pinned < k_min_fragmented_bytes) return;
    const bool is_expandable = has_expandable_segments(device.snapshot(), device.trace());
    found.push_back(
        {.code = "fragmentation",
         .severity = share >= 0.20 ? FindingSeverity::warning : FindingSeverity::notice,
         .sentence = fmt::format(
             "When most was reserved ({}), {} ({}) was idle in segments that live blocks pin; the largest hole was {}.",
             format_bytes(most.reserved), format_bytes(most.idle_pinned), format_share(most.idle_pinned, most.reserved),
             format_bytes(largest_kept_hole(space.at(holes.max_reserved_moment), space.facts().pools))),
         .hint = is_expandable ? "" : oom::expandable_hint(*device.expandable_gain()),
         .bytes = most.idle_pinned,
         .moment = holes.max_reserved_moment,
         .sql = holes_query(device, "idle_pinned")});
}

/// A segment that is mostly idle.
struct IdleSegment {
    const space::AddressMoment::Range* range = nullptr;
    std::uint64_t idle_bytes = 0;
    std::uint64_t used_bytes = 0;
};

std::vector<IdleSegment> find_idle_segments(const space::AddressMoment& end, const space::PoolNames& pools) {
    std::vector<IdleSegment> poor;
    for (const space::AddressMoment::Range& range : end.ranges) {
        std::uint64_t used = 0;
        for (const space::AddressMoment::Block& block : end.blocks_of(range)) used += block.size_bytes;
        const std::uint64_t size = range.range.size_bytes;
        const bool is_poor =
            range.block_count > 0 && used < size && share_of(used, size) <= 0.10 && size - used >= k_min_pinned_bytes;
        if (is_poor && !range.range.traits.is_expandable && !pools.is_private(range.range.traits.pool))
            poor.push_back({&range, size - used, used});
    }
    std::ranges::stable_sort(poor, std::ranges::greater(), &IdleSegment::idle_bytes);
    return poor;
}

void add_pinned_segments(const DeviceAnalyses& device, const space::AddressSpace& space, const space::AddressMoment& end,
                         std::vector<DeviceFinding>& found) {
    constexpr std::size_t k_named_segments = 10;
    const std::vector<IdleSegment> poor = find_idle_segments(end, space.facts().pools);
    DeviceFinding finding{.code = "pinned_segments", .severity = FindingSeverity::notice};
    std::uint64_t used = 0;
    for (const IdleSegment& each : poor) {
        finding.bytes += each.idle_bytes;
        used += each.used_bytes;
    }
    if (poor.empty() || share_of(finding.bytes, std::max<std::uint64_t>(1, end.reserved_bytes)) < 0.02) return;
    for (std::size_t i = 0; i < poor.size(); ++i) {
        for (const space::AddressMoment::Block& block : end.blocks_of(*poor[i].range)) {
            if (block.allocation.is_some()) finding.allocations.push_back(block.allocation);
        }
        if (i < k_named_segments) finding.named_allocations = std::min(finding.allocations.size(), k_allocations_named);
    }
    finding.sentence =
        fmt::format("{} with {} idle {} pinned by {} of live blocks at the end.", counted(poor.size(), "segment"),
                    format_bytes(finding.bytes), poor.size() == 1 ? "is" : "are", format_bytes(used));
    finding.moment = space.moment_count() - 1;
    finding.sql =
        amount_query("sum(hole_bytes)", "segments",
                     {on_device(device), "(pool IS NULL OR pool = '(0, 0)')", "active > 0", "active <= 0.10 * size",
                      fmt::format("size - active >= {}", k_min_pinned_bytes), "is_expandable = 0"});
    found.push_back(std::move(finding));
}

/// A sentence that names the pool with the most idle memory and the code that made it. Empty if no private pool has idle
/// memory.
std::string idlest_pool_words(const std::vector<space::PoolUse>& uses) {
    const space::PoolUse* idlest = nullptr;
    std::size_t pools = 0;
    for (const space::PoolUse& use : uses) {
        if (!use.is_private || use.at_end.reserved == 0) continue;
        ++pools;
        if (idlest == nullptr || use.at_end.idle > idlest->at_end.idle) idlest = &use;
    }
    if (idlest == nullptr || idlest->at_end.idle == 0) return "";
    const std::string& maker = idlest->captured_by.empty() ? idlest->made_by : idlest->captured_by;
    std::string words = pools == 1 ? fmt::format(" The pool is {}", idlest->pool)
                                   : fmt::format(" Of these {} pools, {} holds most of it, {}", pools, idlest->pool,
                                                 format_bytes(idlest->at_end.idle));
    if (!maker.empty()) words += fmt::format("; it was made by {}", maker);
    return words + ".";
}

void add_private_idle(DeviceAnalyses& device, const space::AddressSpace& space, const space::AddressMoment& end,
                      std::vector<DeviceFinding>& found) {
    std::uint64_t idle = 0;
    std::uint64_t reserved = 0;
    for (const space::AddressMoment::Range& range : end.ranges) {
        if (!space.facts().pools.is_private(range.range.traits.pool)) continue;
        reserved += range.range.size_bytes;
        space::for_each_hole(end, range, [&](const space::Hole& hole) { idle += hole.size_bytes(); });
    }
    const double share = share_of(idle, std::max<std::uint64_t>(1, end.reserved_bytes));
    if (reserved == 0 || share < 0.05) return;
    found.push_back(
        {.code = "private_pool_idle",
         .severity = share >= 0.2 ? FindingSeverity::warning : FindingSeverity::notice,
         .sentence = fmt::format("{} of {} in private pools is idle and closed to everything else.{}", format_bytes(idle),
                                 format_bytes(reserved), idlest_pool_words(*device.pool_uses())),
         .hint = "Let graphs share one pool (torch.cuda.graph_pool_handle), capture fewer shapes, or delete graphs that "
                 "are no longer replayed.",
         .bytes = idle,
         .moment = space.moment_count() - 1,
         .sql = amount_query("sum(hole_bytes)", "pools", {on_device(device), "is_private = 1"})});
}

void add_pending(const DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const std::vector<PendingSpan> waits = pending_frees(device.timeline());
    const DeviceTrace& trace = device.trace();
    const auto size_of = [&](const PendingSpan& wait) { return trace.allocations.size_bytes[wait.id.value]; };
    struct Edge {
        std::uint32_t moment = 0;
        bool begins = false;
        std::uint64_t size_bytes = 0;
    };
    std::vector<Edge> edges;
    for (const PendingSpan& wait : waits) {
        edges.push_back({wait.events_before(), true, size_of(wait)});
        if (wait.to_event < trace.events.size()) edges.push_back({wait.to_event + 1, false, size_of(wait)});
    }
    std::ranges::sort(edges, {}, [](const Edge& edge) { return std::pair(edge.moment, edge.begins); });
    std::uint64_t now = 0;
    std::uint64_t most = 0;
    std::uint32_t moment = 0;
    for (const Edge& edge : edges) {
        now = edge.begins ? now + edge.size_bytes : now - edge.size_bytes;
        if (now <= most) continue;
        most = now;
        moment = edge.moment;
    }
    const std::uint64_t peak = device.timeline().peak_bytes();
    if (most < k_mib || share_of(most, std::max<std::uint64_t>(1, peak)) < 0.01) return;
    std::vector<PendingSpan> then;
    std::ranges::copy_if(waits, std::back_inserter(then),
                         [&](const PendingSpan& wait) { return wait.events_before() <= moment && wait.to_event >= moment; });
    std::ranges::stable_sort(then, std::ranges::greater(), size_of);
    std::vector<std::string> conditions{on_device(device)};
    if (moment == 0) {
        conditions.emplace_back("requested_event IS NULL");
    } else {
        const std::int64_t event = device.event_id(moment - 1);
        conditions.push_back(fmt::format("(requested_event IS NULL OR requested_event <= {})", event));
        conditions.push_back(fmt::format("(completed_event IS NULL OR completed_event > {})", event));
    }
    DeviceFinding& finding = found.emplace_back();
    finding.code = "pending_frees";
    finding.severity = share_of(most, peak) >= 0.05 ? FindingSeverity::warning : FindingSeverity::notice;
    finding.sentence = fmt::format("Up to {} in {} was freed but still waited for another stream.", format_bytes(most),
                                   counted(then.size(), "block"));
    finding.bytes = most;
    finding.moment = moment;
    for (const PendingSpan& wait : then) finding.allocations.push_back(wait.id);
    finding.named_allocations = k_allocations_named;
    finding.sql = amount_query("sum(size)", "pending_frees", conditions);
}

}  // namespace

void add_oom_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const oom::OomReport& report = *device.oom();
    for (const oom::OomVerdict& verdict : report.verdicts) {
        found.push_back(
            {.code = fmt::format("oom_{}", oom::oom_cause_name(verdict.cause)),
             .severity = verdict.is_recovered ? FindingSeverity::notice : FindingSeverity::error,
             .sentence =
                 (verdict.is_recovered ? "Out of memory, but the run went on: " : "Out of memory: ") + verdict.sentence,
             .hint = verdict.hint,
             .bytes = verdict.demand,
             .moment = verdict.event + 1,
             .sql = fmt::format(
                 "SELECT bytes, human(bytes) AS size, device_free, reserved, unused, largest_hole, cause, sentence, hint\n"
                 "FROM markers\nWHERE kind = 'oom'\n  AND event_id = {}",
                 device.event_id(verdict.event))});
    }
    const std::string& near = report.near_capacity;
    const auto& beyond = report.beyond;
    if (near.empty() && (!beyond || !report.verdicts.empty())) return;
    found.push_back({.code = near.empty() ? "beyond_card" : "near_capacity",
                     .severity = FindingSeverity::warning,
                     .sentence = near.empty() ? beyond->sentence : near,
                     .bytes = near.empty() ? beyond->reserved_bytes : report.capacity.max_reserved_bytes,
                     .moment = near.empty() ? report.beyond_moment : report.capacity.max_reserved_moment,
                     .sql = amount_query("max(reserved + reserved_private)", "holes", {on_device(device)})});
}

void add_reserved_findings(DeviceAnalyses& device, std::vector<DeviceFinding>& found) {
    const space::AddressSpace& space = *device.address_space();
    const space::AddressMoment end = space.at(space.moment_count() - 1);
    if (space.is_idle_memory_known()) {
        add_cached_idle(device, found);
        add_fragmentation(device, found);
    }
    add_pinned_segments(device, space, end, found);
    add_private_idle(device, space, end, found);
    add_pending(device, found);
}

}  // namespace snapviewer::findings
