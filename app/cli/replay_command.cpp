#include "app/cli/replay_command.h"

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/base/addresses.h"
#include "core/base/context.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/replay/replay_text.h"

namespace snapviewer {
namespace {

struct ReplayCommandOptions {
    std::string file;
    std::optional<std::size_t> part;
    std::optional<int> device;
    std::vector<std::string> settings;
    bool smallest = false;
    bool usual = false;
    bool json = false;
};

/// Returns an error text if `text` is not a valid "NAME=VALUE", otherwise "".
std::string is_setting(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) return "'" + text + "' is not NAME=VALUE";
    AllocatorSettings any;
    const Status changed = change_setting(any, text.substr(0, equals), text.substr(equals + 1));
    return changed ? "" : changed.error().message;
}

int run_replay(const ReplayCommandOptions& options) {
    Session session(options.file);
    const Document* document = session.open({.mesh = false, .part = part_of(options.part)});
    if (document == nullptr) return session.status();
    const auto device = session.require_device(options.device);
    if (!device) return session.status();
    ReplayQuestion question;
    question.find_smallest = options.smallest;
    question.try_usual = options.usual;
    for (const std::string& setting : options.settings) {
        const std::size_t equals = setting.find('=');
        question.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    const DeviceTrace& trace = document->snapshot->devices[*device];
    if (trace.events.size() == 0 || trace.allocations_are_given)
        return session.report({ErrorCode::bad_file, "has no events of this device that can be replayed"});
    const auto report = caught(&session.progress(), [&] { return replay_report(*document->snapshot, trace, question); });
    if (!report) return session.report(report.error());
    session.report_import_log();
    if (!options.json) return session.print(terminal_text(replay_text(*report), LineFeeds::kept));
    const std::string name = shown_name(options.file);
    const auto json = replay_json(*report, name);
    return session.print(json_text(json, 2) + "\n");
}

}  // namespace

void add_replay_command(CommandLine& line) {
    const auto options = std::make_shared<ReplayCommandOptions>();
    line.command("replay", "Show what other settings of PyTorch's allocator would have changed; see docs/what-if.md",
                 [options] { return run_replay(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true, .is_file = true})
        .values("--set", options->settings,
                "A setting to try; can be given several times: expandable_segments=true, max_split_size_mb=512, "
                "roundup_power2_divisions=4, garbage_collection_threshold=0.8, capacity_bytes=40G, ...",
                {.type_name = "NAME=VALUE", .check = is_setting})
        .flag("--smallest", options->smallest, "Also find the smallest card that is large enough")
        .flag("--usual", options->usual, "Try the common settings, each on its own")
        .flag("--json", options->json, "Print JSON, for scripts")
        .value("--part", options->part, k_part_about, {.type_name = "N"})
        .value("--device", options->device, k_device_about, {.type_name = "N"});
}

}  // namespace snapviewer
