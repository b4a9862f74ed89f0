#include "core/fleet/fleet_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/findings/findings.h"
#include "core/base/addresses.h"
#include "core/base/budget.h"
#include "core/base/text.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::fleet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t k_max_lines_of_kind = 20;
constexpr std::size_t k_max_runs_named = 8;

/// Converts whole numbers to JSON integers. The median of an even number of peaks may end in half a byte.
Json plain_number(double value) {
    if (value == std::floor(value)) return static_cast<std::int64_t>(value);
    return value;
}

Json outlier_json(const Fleet& fleet, const FleetOutlier& outlier) {
    const auto stack_json = [&](const FleetOutlier::Stack& stack) {
        return Json{{"stack_key", key_text(stack.stack_key)},
                    {"source", shortened(fleet.top_frame(stack.stack_key), limits::k_max_source_bytes)},
                    {"bytes", stack.bytes},
                    {"median_bytes", stack.median_bytes}};
    };
    const auto module_json = [&](const FleetOutlier::Stack& module) {
        return Json{{"module", shortened(fleet.module_path(module.stack_key), limits::k_max_source_bytes)},
                    {"bytes", module.bytes},
                    {"median_bytes", module.median_bytes}};
    };
    return {{"rank", outlier.row->rank},
            {"device", value_or_null(outlier.row->device)},
            {"peak_bytes", *outlier.row->peak_bytes},
            {"delta_bytes", plain_number(outlier.delta_bytes)},
            {"stacks", json_array(outlier.stacks, stack_json)},
            {"run", outlier.row->run},
            {"file", outlier.row->file},
            {"modules", json_array(outlier.modules, module_json)}};
}

/// The runs of a fleet, in order.
std::vector<std::string> runs_of(const std::vector<const RankRow*>& rows) {
    std::vector<std::string> runs;
    for (const RankRow* row : rows) {
        if (row->error.empty() && (runs.empty() || runs.back() != row->run)) runs.push_back(row->run);
    }
    return runs;
}

/// Returns for example "3 ranks", followed by the number of dumps per rank if a rank has several.
std::string ranks_text(const std::map<std::int64_t, RankDumps>& dumps, const std::vector<std::string>& runs) {
    std::string text = counted(dumps.size(), "rank");
    if (dumps.empty()) return text;
    std::size_t least = dumps.begin()->second.runs, most = 0, devices = 0;
    for (const auto& [rank, of_rank] : dumps) {
        least = std::min(least, of_rank.runs);
        most = std::max(most, of_rank.runs);
        devices += of_rank.devices;
    }
    if (devices > dumps.size()) text += fmt::format(" with {}", counted(devices, "device"));
    if (most == 1) return text;
    text += fmt::format("{} {}", devices > dumps.size() ? " and" : " with",
                        least == most ? counted(most, "dump") + (dumps.size() > 1 ? " each" : "")
                                      : fmt::format("{} to {} dumps", least, most));
    std::string names;
    for (std::size_t i = 0; i < std::min(runs.size(), k_max_runs_named); ++i)
        names += (i == 0 ? "" : ", ") + terminal_text(runs[i]);
    if (runs.size() > k_max_runs_named) names += fmt::format(" and {} more", runs.size() - k_max_runs_named);
    return text + (runs.size() > 1 ? fmt::format(" ({})", names) : "");
}

bool any_follow_in_time(const std::map<std::int64_t, RankDumps>& dumps) {
    return std::ranges::any_of(dumps, [](const auto& of_rank) { return of_rank.second.follow_in_time; });
}

/// Describes a result of oom_cause_name().
std::string cause_text(std::string_view cause) {
    static const std::map<std::string_view, const char*> k_words = {
        {"limit", "a limit was reached although the device was not full"},
        {"too_large", "a single request was larger than all available memory"},
        {"pending", "freed memory was still waiting for other streams"},
        {"private_pools", "memory was idle in private pools"},
        {"unreleased", "memory was idle in unused segments"},
        {"fragmentation", "memory was idle but fragmented"},
        {"outside", "memory was held outside PyTorch's allocator"},
        {"mixed", "several causes together"},
        {"capacity", "live memory filled the device"}};
    const auto words = k_words.find(cause);
    return words == k_words.end() ? std::string(cause) : fmt::format("{}: {}", cause, words->second);
}

/// Describes how the ranks were numbered, most frequent source first.
std::string sources_text(const std::vector<const RankRow*>& rows) {
    std::map<RankSource, std::size_t> counts;
    for (const RankRow* row : rows) ++counts[row->rank_from];
    std::vector<std::pair<std::size_t, RankSource>> by_count;
    for (const auto& [source, count] : counts) by_count.emplace_back(count, source);
    std::ranges::sort(by_count, std::ranges::greater(), &std::pair<std::size_t, RankSource>::first);
    std::string text;
    for (const auto& [count, source] : by_count) {
        const std::string how_many = by_count.size() == 1 ? "" : " of " + format_count(count);
        text += fmt::format("{}by {}{}", text.empty() ? "" : ", ", rank_source_name(source), how_many);
    }
    return text;
}

/// Builds the text report, section by section.
class ReportOfFleet {
public:
    explicit ReportOfFleet(const Fleet& fleet) : fleet_(fleet) {}

    std::vector<FleetLine> run() {
        add_line(0, fmt::format("{}, numbered {}", ranks_text(dumps_, runs_of(rows_)), sources_text(rows_)));
        if (any_follow_in_time(dumps_))
            add_line(
                0,
                "The dumps of a rank follow one another in time: 'snapviewer series FOLDER' shows how its memory changes "
                "from one to the next.");
        if (const std::optional<double> median_bytes = fleet_.median_peak_bytes()) {
            add_line(0, fmt::format("median peak {}, deviation {}", format_bytes(static_cast<std::uint64_t>(*median_bytes)),
                                    format_bytes(static_cast<std::uint64_t>(fleet_.deviation_bytes()))));
            add_line(0, "");
            add_outliers(*median_bytes);
            add_growing();
            add_ooms();
        }
        add_failed();
        return std::move(lines_);
    }

private:
    void add_line(std::size_t depth, std::string text, const RankRow* row = nullptr) {
        lines_.push_back({depth, std::move(text), row});
    }
    /// Calls `add_item` for the first items and adds a line with the number of the others.
    template <typename Items, typename AddItem>
    void add_each(const Items& items, AddItem add_item) {
        for (std::size_t i = 0; i < std::min(items.size(), k_max_lines_of_kind); ++i) add_item(items[i]);
        if (items.size() > k_max_lines_of_kind)
            add_line(1, fmt::format("and {} more", format_count(items.size() - k_max_lines_of_kind)));
    }

    std::string place_text(const RankRow& row) const {
        const std::string device = row.device.value_or(0) == 0 ? "" : fmt::format(", device {}", *row.device);
        const auto of_rank = dumps_.find(row.rank);
        const bool is_repeated = of_rank != dumps_.end() && of_rank->second.runs > 1;
        const std::string run = is_repeated ? ", " + terminal_text(row.run) : "";
        return fmt::format("rank {}{}{} ({})", row.rank, device, run, terminal_text(display_path(row.file)));
    }

    void add_outliers(double median_bytes) {
        const std::vector<FleetOutlier> outliers = fleet_.outliers();
        if (outliers.empty()) return add_line(0, "No rank is more than three deviations from the median.");
        add_line(0, fmt::format("{} more than three deviations from the median:",
                                counted(outliers.size(), "rank") + (outliers.size() == 1 ? " is" : " are")));
        add_each(outliers, [&](const FleetOutlier& outlier) { add_outlier(outlier, median_bytes); });
    }

    void add_outlier(const FleetOutlier& outlier, double median_bytes) {
        const double share = median_bytes > 0 ? std::abs(outlier.delta_bytes) / median_bytes * 100 : 0;
        add_line(1,
                 fmt::format(
                     "{} peaks at {}, {}{} {} the median", place_text(*outlier.row), format_bytes(*outlier.row->peak_bytes),
                     format_bytes(static_cast<std::uint64_t>(std::abs(outlier.delta_bytes))),
                     share > 0 ? fmt::format(" ({:.1f} %)", share) : "", outlier.delta_bytes > 0 ? "above" : "below"),
                 outlier.row);
        const auto say_part = [&](const FleetOutlier::Stack& part, const std::string& name) {
            add_line(2,
                     fmt::format("{:>12}  {} ({} -> {})",
                                 format_difference(static_cast<std::int64_t>(part.bytes - part.median_bytes)), name,
                                 format_bytes(part.median_bytes), format_bytes(part.bytes)),
                     outlier.row);
        };
        for (const FleetOutlier::Stack& stack : outlier.stacks) say_part(stack, one_line(fleet_.top_frame(stack.stack_key)));
        for (const FleetOutlier::Stack& module : outlier.modules)
            say_part(module, "module " + one_line(fleet_.module_path(module.stack_key)));
    }

    void add_growing() {
        const std::vector<FleetGrowth> growing = fleet_.growing();
        if (growing.empty()) return add_line(0, "Nothing grows with every training step.");
        add_line(0, "Grows with every training step:");
        add_each(growing, [&](const FleetGrowth& stack) {
            add_line(
                1, fmt::format("{} per step on {}: {}", format_bytes(static_cast<std::uint64_t>(std::max(stack.slope, 0.0))),
                               counted(stack.ranks, "rank"), one_line(stack.source)));
        });
    }

    void add_ooms() {
        std::map<std::string, std::vector<const RankRow*>> by_cause;
        for (const RankRow* row : rows_) {
            if (!row->oom_cause.empty()) by_cause[row->oom_cause].push_back(row);
        }
        for (const auto& [cause, of_cause] : by_cause) {
            add_line(0, fmt::format("{} ran out of memory, {}", counted(of_cause.size(), "rank"), cause_text(cause)));
            add_each(of_cause, [&](const RankRow* row) { add_line(1, place_text(*row), row); });
        }
    }

    void add_failed() {
        std::vector<const RankRow*> failed = rows_;
        std::erase_if(failed, [](const RankRow* row) { return row->error.empty(); });
        if (failed.empty()) return;
        add_line(0, counted(failed.size(), "file") + " could not be read:");
        add_each(failed, [&](const RankRow* row) {
            add_line(1, fmt::format("{}: {}", terminal_text(row->file), terminal_text(row->error)), row);
        });
    }

    const Fleet& fleet_;
    const std::vector<const RankRow*> rows_ = fleet_.ranks();
    const std::map<std::int64_t, RankDumps> dumps_ = fleet_.dumps();
    std::vector<FleetLine> lines_;
};

}  // namespace

Json fleet_files_json(std::span<const FleetFile> files) {
    return json_array(files, [](const FleetFile& file) {
        return Json{{"run", file.run},
                    {"rank", *file.name.rank},
                    {"host", value_or_null(null_if_empty(file.name.host))},
                    {"device", value_or_null(file.name.device)},
                    {"file", display_path(file.path)},
                    {"file_bytes", file.file_bytes},
                    {"error", value_or_null(null_if_empty(file.error))},
                    {"rank_from", rank_source_name(file.name.source)}};
    });
}

Json fleet_json(const Fleet& fleet) {
    const std::optional<double> median_bytes = fleet.median_peak_bytes();
    const auto growing_json = [](const FleetGrowth& stack) {
        return Json{{"stack_key", key_text(stack.stack_key)},
                    {"source", stack.source},
                    {"ranks", stack.ranks},
                    {"slope", stack.slope}};
    };
    Json json = {{"ranks", Json::array()},
                 {"median_peak_bytes", median_bytes ? plain_number(*median_bytes) : Json()},
                 {"outliers", json_array(fleet.outliers(), [&](const auto& each) { return outlier_json(fleet, each); })},
                 {"growing", json_array(fleet.growing(), growing_json)},
                 {"failed", Json::array()}};
    for (const RankRow* row : fleet.ranks()) {
        json["ranks"].push_back(k_rank_fields.json(*row));
        if (!row->error.empty()) json["failed"].push_back({{"file", row->file}, {"error", row->error}});
    }
    const std::map<std::int64_t, RankDumps> dumps = fleet.dumps();
    json["rank_count"] = dumps.size();
    json["follow_in_time"] = any_follow_in_time(dumps);
    return json;
}

std::vector<FleetLine> fleet_lines(const Fleet& fleet) { return ReportOfFleet(fleet).run(); }

std::string fleet_text(const Fleet& fleet) {
    std::string text;
    for (const FleetLine& line : fleet_lines(fleet)) text += std::string(2 * line.depth, ' ') + line.text + "\n";
    return text;
}

}  // namespace snapviewer::fleet
