#include "core/fleet/fleet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/analysis/growth/growth.h"
#include "core/base/budget.h"
#include "core/base/hash.h"
#include "core/base/text.h"

namespace snapviewer::fleet {
namespace {

constexpr std::array<const char*, 4> k_source_names = {"metadata", "file name", "folder name", "order of names"};
/// Maximum number of digits of a rank. Longer numbers are times or process ids.
constexpr std::size_t k_max_rank_digits = 6;
/// Words before a number that is not a rank.
constexpr std::array<std::string_view, 10> k_other_counts = {"iteration", "iter", "step", "epoch",  "run",
                                                             "attempt",   "oom",  "time", "signal", "series"};
constexpr std::array<std::string_view, 3> k_iterations = {"iteration", "iter", "step"};
constexpr std::array<std::string_view, 4> k_step_words = {"iteration", "iter", "step", "epoch"};
/// Words for moments at which all ranks write, in file names of snapviewer's own recorder.
constexpr std::array<std::string_view, 2> k_moments = {"time", "signal"};
constexpr std::array<std::string_view, 4> k_devices = {"device", "gpu", "cuda", "npu"};

/// The texts around a rank in a framework's file names. If `before` is empty, the rank begins the name.
struct RankBetween {
    std::string_view before;
    std::string_view after;
};
constexpr std::array k_ranks_between = {
    RankBetween{"", "_step_"},       // torchtitan: 000007_step_300
    RankBetween{"-tp-", "-memory"},  // SGLang: 1760000000.25-TP-7-memory
};

bool is_separator(char c) { return c == '_' || c == '-' || c == '.' || c == '='; }

/// Removes endings that are words, such as `.pickle.gz`.
std::string stem_of(std::string name) {
    for (std::size_t dot = name.rfind('.'); dot != name.npos && dot > 0; dot = name.rfind('.')) {
        const std::string_view ending = std::string_view(name).substr(dot + 1);
        if (ending.empty() || is_digit(ending.front()) || std::ranges::any_of(ending, is_separator)) break;
        name.resize(dot);
    }
    return name;
}

/// Parses the digits at `begin`. nullopt if there are more than k_max_rank_digits after leading zeros.
std::optional<std::uint32_t> number_at(std::string_view text, std::size_t begin) {
    const std::string_view digits = digits_at(text, begin);
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    return digits.size() - zeros <= k_max_rank_digits ? parse_number<std::uint32_t>(digits) : std::nullopt;
}

/// A word followed by a number.
struct Numbered {
    std::uint32_t number = 0;
    std::size_t begin = 0;  ///< offset of the first letter of the word
    std::size_t end = 0;    ///< offset behind the last digit of the number
};

/// Finds the first place at which `word` stands alone and is followed by a number, directly or after one separator. Skips
/// `local_rank`.
std::optional<Numbered> find_numbered(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        if (at > 0 && is_letter(text[at - 1])) continue;
        if (text.substr(0, at).ends_with("local_") || text.substr(0, at).ends_with("local-")) continue;
        std::size_t number = at + word.size();
        if (number < text.size() && is_separator(text[number])) ++number;
        if (const auto found = number_at(text, number)) return Numbered{*found, at, number + digits_at(text, number).size()};
    }
    return std::nullopt;
}

/// The number at the end of a name; nullopt if the word before it shows that it counts something else.
std::optional<std::uint32_t> number_at_end(std::string_view stem) {
    std::size_t begin = stem.size();
    while (begin > 0 && is_digit(stem[begin - 1])) --begin;
    if (begin == 0) return number_at(stem, begin);
    if (!is_separator(stem[begin - 1])) return std::nullopt;
    const std::string_view before = stem.substr(0, begin - 1);
    const auto is_word_before = [&](std::string_view word) {
        return before.ends_with(word) &&
               (before.size() == word.size() || !is_letter(before[before.size() - word.size() - 1]));
    };
    return std::ranges::any_of(k_other_counts, is_word_before) ? std::nullopt : number_at(stem, begin);
}

/// The step, if the name ends with one such as `step-10`.
std::optional<Numbered> step_at_end(std::string_view stem) {
    for (const std::string_view word : k_step_words) {
        if (const auto found = find_numbered(stem, word); found && found->end == stem.size()) return found;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> number_between(std::string_view stem, const RankBetween& texts) {
    const std::size_t at = texts.before.empty() ? 0 : stem.find(texts.before);
    if (at == stem.npos) return std::nullopt;
    const std::size_t begin = at + texts.before.size();
    const std::size_t end = begin + digits_at(stem, begin).size();
    return stem.substr(end).starts_with(texts.after) ? number_at(stem, begin) : std::nullopt;
}

/// True for verl's folder names: `20261126-1716`, and `oom_20261126-171636-250000` after an oom.
bool is_time_name(std::string_view folder) {
    if (folder.starts_with("oom_")) return folder.size() > 4 && is_digit(folder[4]);
    constexpr std::size_t date_digits = 8, time_digits = 4;
    const std::size_t date_end = digits_at(folder, 0).size();
    return date_end == date_digits && folder.substr(date_end).starts_with('-') &&
           digits_at(folder, date_end + 1).size() >= time_digits;
}

/// The position after the device in a name of the recorder's own form, `HOST_rank7_device0_time3`; npos for other names.
std::size_t end_of_device(std::string_view stem) {
    const auto rank = find_numbered(stem, "rank");
    if (!rank || !stem.substr(rank->end).starts_with("_device")) return stem.npos;
    const auto device = find_numbered(stem, "device");
    return device ? device->end : stem.npos;
}

std::vector<std::string> folders_of(const std::filesystem::path& path) {
    std::vector<std::string> folders;
    for (const auto& part : path.parent_path()) folders.push_back(part.string());
    std::ranges::reverse(folders);
    return folders;
}

constexpr double k_outlier_deviations = 3;   ///< Distance from the median, in deviations, beyond which a rank is an outlier.
constexpr double k_min_deviation = 0.01;     ///< minimum deviation, as a share of the median
constexpr double k_min_listed_share = 0.05;  ///< Minimum share of the whole difference for a stack to be listed.
constexpr std::size_t k_named_stacks = 10;

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

const char* rank_source_name(RankSource source) { return k_source_names[static_cast<std::size_t>(source)]; }

std::optional<RankSource> rank_source_named(std::string_view name) {
    const auto at = std::ranges::find(k_source_names, name);
    return at == k_source_names.end() ? std::nullopt : std::optional(static_cast<RankSource>(at - k_source_names.begin()));
}

RankName rank_in_path(const std::filesystem::path& path) {
    const std::string written = stem_of(path.filename().string());
    const std::string stem = lower_case(written);
    RankName name;
    if (const auto step = step_at_end(stem)) name.step = step->number;
    for (const std::string_view word : k_devices) {
        if (const auto found = find_numbered(stem, word); found && !name.device) name.device = found->number;
    }
    if (const auto found = find_numbered(stem, "rank")) {
        name.rank = found->number;
        // A name of the recorder's own form, HOST_rank7_device0, begins with the host.
        const bool is_recorders = name.device && std::string_view(stem).substr(found->end).starts_with("_device");
        if (is_recorders && found->begin > 1) name.host = written.substr(0, found->begin - 1);
        return name;
    }
    for (const std::string& folder : folders_of(path)) {
        const std::string lower = lower_case(folder);
        if (const auto found = find_numbered(lower, "rank"); found && found->begin == 0 && found->end == lower.size()) {
            name.rank = found->number;
            name.source = RankSource::folder_name;
            return name;
        }
    }
    for (const RankBetween& texts : k_ranks_between) {
        if (!name.rank) name.rank = number_between(stem, texts);
    }
    if (name.rank) return name;
    name.rank = number_at_end(stem);
    if (name.rank) name.before_number = stem.substr(0, stem.find_last_not_of("0123456789") + 1);
    return name;
}

std::string moment_in_path(const std::filesystem::path& path) {
    const std::string stem = lower_case(stem_of(path.filename().string()));
    if (const std::size_t begin = end_of_device(stem); begin != stem.npos) {
        const std::string_view rest = std::string_view(stem).substr(begin);
        for (const std::string_view word : k_moments) {
            if (const auto found = find_numbered(rest, word))
                return std::string(rest.substr(found->begin, found->end - found->begin));
        }
    }
    for (const std::string& folder : folders_of(path)) {
        const std::string lower = lower_case(folder);
        if (is_time_name(lower)) return folder;
        for (const std::string_view word : k_iterations) {
            if (const auto found = find_numbered(lower, word); found && found->begin == 0) return folder;
        }
    }
    const auto step = step_at_end(stem);
    return step ? stem.substr(step->begin) : "";
}

bool are_steps(std::vector<std::uint32_t> numbers) {
    constexpr std::size_t k_min_files = 3;
    constexpr std::uint32_t k_left_out = 4;  // numbers of steps: at most one of every four is present
    constexpr std::uint32_t k_round = 5;
    // The largest number of GPUs in a node. Possibly only the first rank of each node was dumped.
    constexpr std::uint32_t k_largest_node = 72;
    std::ranges::sort(numbers);
    const auto follow = [](std::uint32_t a, std::uint32_t b) { return b - a <= 1; };
    const bool is_spaced = std::ranges::adjacent_find(numbers, follow) == numbers.end();
    if (numbers.size() < k_min_files || !is_spaced || numbers.back() < k_left_out * numbers.size()) return false;
    std::uint32_t stride = 0;
    for (const std::uint32_t number : numbers) stride = std::gcd(stride, number - numbers.front());
    const auto rounds = [&](std::uint32_t rest) {
        return std::ranges::count_if(numbers, [&](std::uint32_t number) { return number % k_round == rest; });
    };
    const auto max_rounds = static_cast<std::size_t>(std::max(rounds(0), rounds(k_round - 1)));
    return stride > k_largest_node || max_rounds + 1 >= numbers.size();
}

bool is_not_of_rank(const std::filesystem::path& path) {
    const std::string name = lower_case(path.filename().string());
    if (name.ends_with(k_about_suffix)) return true;
    const std::string stem = stem_of(name);
    const std::size_t begin = end_of_device(stem);
    return begin != stem.npos && find_numbered(std::string_view(stem).substr(begin), "series").has_value();
}

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
    return of_all.empty() ? std::nullopt : std::optional(growth::middle_number(of_all));
}

double Fleet::deviation_bytes() const {
    std::vector<double> distances = peaks();
    if (distances.empty()) return 0;
    const double median = growth::middle_number(distances);
    for (double& peak : distances) peak = std::abs(peak - median);
    return std::max(growth::middle_number(distances), k_min_deviation * median);
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
            if (stack.state != growth::growth_state_name(growth::GrowthState::leak)) continue;
            slopes[{stack.stack_key, stack.stack_key == 0 ? stack.source : std::string()}].push_back(stack.slope);
        }
    }
    std::vector<FleetGrowth> growing;
    for (const auto& [stack, of_ranks] : slopes) {
        const auto& [key, source] = stack;
        growing.push_back({key, key == 0 ? shortened(source, limits::k_max_frame_bytes) : top_frame(key), of_ranks.size(),
                           growth::middle_number(of_ranks)});
    }
    std::ranges::stable_sort(growing, std::ranges::greater(),
                             [](const FleetGrowth& stack) { return stack.slope * static_cast<double>(stack.ranks); });
    return growing;
}

}  // namespace snapviewer::fleet
