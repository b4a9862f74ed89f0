#include "core/fleet/fleet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/analysis/growth/growth.h"
#include "core/base/budget.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr double k_outlier_deviations = 3;   ///< Distance from the median, in deviations, beyond which a rank is an outlier.
constexpr double k_min_deviation = 0.01;     ///< minimum deviation, as a share of the median
constexpr double k_min_listed_share = 0.05;  ///< Minimum share of the whole difference for a stack to be listed.
constexpr std::size_t k_named_stacks = 10;

double median_of(std::vector<double> values) {
    const std::size_t half = values.size() / 2;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double peak_of(const RankRow& row) { return static_cast<double>(*row.peak_bytes); }

/// The stacks that hold more than the same stacks of another rank, or less if `wanted_bytes` is negative. Largest difference
/// first, at most 10.
std::vector<FleetOutlier::Stack> differing_stacks(const std::vector<PeakStack>& own, const std::vector<PeakStack>& other,
                                                  double wanted_bytes) {
    std::map<std::uint64_t, FleetOutlier::Stack> by_key;
    for (const PeakStack& stack : own) by_key[stack.stack_key].bytes = stack.bytes;
    for (const PeakStack& stack : other) by_key[stack.stack_key].median_bytes = stack.bytes;
    const auto share = [wanted_bytes](const FleetOutlier::Stack& stack) {
        return (static_cast<double>(stack.bytes) - static_cast<double>(stack.median_bytes)) / wanted_bytes;
    };
    std::vector<FleetOutlier::Stack> stacks;
    for (auto& [key, stack] : by_key) {
        stack.stack_key = key;
        if (share(stack) >= k_min_listed_share) stacks.push_back(stack);
    }
    std::ranges::stable_sort(stacks, std::ranges::greater(), share);
    stacks.resize(std::min(stacks.size(), k_named_stacks));
    return stacks;
}

}  // namespace

std::uint64_t module_key(std::string_view path) { return hash_bytes(path.data(), path.size()); }

void Fleet::add(FileSummary& file) {
    for (RankSummary& rank : file.ranks) {
        RankRow& row = rank.row;
        if (row.error.empty()) {
            const Place place{row.run, row.rank, row.device.value_or(-1)};
            while (!places_.insert({row.run, row.rank, std::get<2>(place)}).second)
                row.run = std::get<0>(place) + "#" + std::to_string(++numbers_.try_emplace(place, 1).first->second);
        }
        ranks_.push_back({row, rank.peak_stacks, rank.peak_modules, {}, rank.growth, {}});
    }
    // Takes the texts from the file's lists and not from its ranks, because a fleet database stores each stack once for all
    // ranks that have it.
    for (const auto& [key, words] : file.stacks)
        top_frames_.try_emplace(key, shortened(words.top_frame, limits::k_max_frame_bytes));
    for (const auto& [key, path] : file.modules) module_paths_.try_emplace(key, shortened(path, limits::k_max_frame_bytes));
}

void Fleet::remove(const std::string& file) {
    numbers_.clear();
    std::erase_if(ranks_, [&](const RankSummary& rank) {
        const RankRow& row = rank.row;
        if (row.file != file) return false;
        if (row.error.empty()) places_.erase({row.run, row.rank, row.device.value_or(-1)});
        return true;
    });
}

std::vector<const RankSummary*> Fleet::sorted() const {
    std::vector<const RankSummary*> sorted;
    for (const RankSummary& rank : ranks_) sorted.push_back(&rank);
    std::ranges::stable_sort(sorted, [](const RankSummary* a, const RankSummary* b) {
        if (a->row.run != b->row.run) return compare_names(a->row.run, b->row.run) < 0;
        return std::pair(a->row.rank, a->row.device) < std::pair(b->row.rank, b->row.device);
    });
    return sorted;
}

std::vector<const RankRow*> Fleet::ranks() const {
    std::vector<const RankRow*> rows;
    for (const RankSummary* rank : sorted()) rows.push_back(&rank->row);
    return rows;
}

std::size_t Fleet::read_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(ranks_, [](const RankSummary& rank) { return rank.row.error.empty(); }));
}

std::map<std::int64_t, RankDumps> Fleet::dumps() const {
    std::map<std::int64_t, std::map<std::string, std::size_t>> devices;  // Number of devices, by rank and run.
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::optional<std::int64_t>>> peaks_us;
    for (const RankSummary& rank : ranks_) {
        const RankRow& row = rank.row;
        if (!row.error.empty()) continue;
        ++devices[row.rank][row.run];
        peaks_us[{row.rank, row.device.value_or(-1)}].push_back(row.peak_time_us);
    }
    std::map<std::int64_t, RankDumps> dumps;
    for (const auto& [rank, of_runs] : devices) {
        RankDumps& of_rank = dumps[rank];
        of_rank.runs = of_runs.size();
        for (const auto& [run, count] : of_runs) of_rank.devices = std::max(of_rank.devices, count);
    }
    for (const auto& [place, times_us] : peaks_us) {
        const std::set<std::optional<std::int64_t>> different(times_us.begin(), times_us.end());
        if (different.size() > 1 && !different.contains(std::nullopt)) dumps[place.first].follow_in_time = true;
    }
    return dumps;
}

const std::string& Fleet::top_frame(std::uint64_t stack_key) const {
    static const std::string k_no_stack = "(no stack)";
    const auto found = top_frames_.find(stack_key);
    return found == top_frames_.end() ? k_no_stack : found->second;
}

const std::string& Fleet::module_path(std::uint64_t key) const {
    static const std::string k_unknown;
    const auto found = module_paths_.find(key);
    return found == module_paths_.end() ? k_unknown : found->second;
}

std::vector<double> Fleet::peaks() const {
    std::vector<double> peaks;
    for (const RankSummary& rank : ranks_) {
        if (rank.row.peak_bytes) peaks.push_back(peak_of(rank.row));
    }
    return peaks;
}

std::optional<double> Fleet::median_peak_bytes() const {
    const std::vector<double> of_all = peaks();
    return of_all.empty() ? std::nullopt : std::optional(median_of(of_all));
}

double Fleet::deviation_bytes() const {
    std::vector<double> distances = peaks();
    if (distances.empty()) return 0;
    const double median = median_of(distances);
    for (double& peak : distances) peak = std::abs(peak - median);
    return std::max(median_of(distances), k_min_deviation * median);
}

std::vector<FleetOutlier> Fleet::outliers() const {
    const std::optional<double> median = median_peak_bytes();
    if (!median) return {};
    std::vector<const RankSummary*> read = sorted();
    std::erase_if(read, [](const RankSummary* rank) { return !rank->row.peak_bytes; });
    const auto distance = [&](const RankSummary* rank) { return std::abs(peak_of(rank->row) - *median); };
    const RankSummary* usual = *std::ranges::min_element(read, {}, distance);
    const double far_bytes = k_outlier_deviations * deviation_bytes();
    std::erase_if(read, [&](const RankSummary* rank) { return distance(rank) <= far_bytes; });
    std::ranges::stable_sort(read, std::ranges::greater(), distance);
    std::vector<FleetOutlier> outliers;
    for (const RankSummary* rank : read) {
        const double delta_bytes = peak_of(rank->row) - *median;
        outliers.push_back({&rank->row, delta_bytes, differing_stacks(rank->peak_stacks, usual->peak_stacks, delta_bytes),
                            differing_stacks(rank->peak_modules, usual->peak_modules, delta_bytes)});
    }
    return outliers;
}

std::vector<FleetGrowth> Fleet::growing() const {
    // The key includes the source only for stacks without frames, which all have the stack key 0.
    std::map<std::pair<std::uint64_t, std::string>, std::vector<double>> slopes;
    for (const RankSummary* rank : sorted()) {
        for (const GrownStack& stack : rank->growth) {
            if (stack.state != growth_state_name(GrowthState::leak)) continue;
            slopes[{stack.stack_key, stack.stack_key == 0 ? stack.source : std::string()}].push_back(stack.slope);
        }
    }
    std::vector<FleetGrowth> growing;
    for (const auto& [stack, of_ranks] : slopes) {
        const auto& [key, source] = stack;
        growing.push_back({key, key == 0 ? shortened(source, limits::k_max_frame_bytes) : top_frame(key), of_ranks.size(),
                           median_of(of_ranks)});
    }
    std::ranges::stable_sort(growing, std::ranges::greater(),
                             [](const FleetGrowth& stack) { return stack.slope * static_cast<double>(stack.ranks); });
    return growing;
}

}  // namespace snapviewer
