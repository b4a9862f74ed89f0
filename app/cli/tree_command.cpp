#include "app/cli/tree_command.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "core/analysis/call_tree.h"
#include "core/analysis/event_steps.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

/// Of the whole: what is smaller is left out of the tree for people.
constexpr double k_least_share = 0.02;

struct TreeOptions {
    std::string file;
    std::optional<int> device;
    std::string event;
    std::string frames = "filtered";
    bool folded = false;
    bool json = false;
};

/// The tick of the moment asked for, the peak unless one is; none after an error, which has been reported.
std::optional<std::uint32_t> tick_asked(Session& session, const Timeline& timeline, const TreeOptions& options) {
    if (options.event.empty()) return timeline.peak_tick();
    const std::int64_t event = parse_event(options.event).value_or(-1);
    const auto events = static_cast<std::int64_t>(timeline.trace().events.size());
    if (event >= events) {
        const std::string last =
            events == 0 ? "only -1, for it holds no events" : fmt::format("only -1 (before the first) to {}", events - 1);
        session.report({ErrorCode::bad_file, fmt::format("has no event {} of this device, {}", event, last)});
        return std::nullopt;
    }
    return tick_of_moment(timeline, static_cast<std::uint32_t>(event + 1));
}

std::string tree_text(const Timeline& timeline, const CallTree& tree) {
    const CallTree::Node& root = tree.nodes.front();
    std::string text = fmt::format("live at step {}: {} in {} allocations\n", format_count(timeline.step_of_tick(tree.tick)),
                                   format_bytes(root.inclusive_bytes), format_count(root.count));
    const double least = k_least_share * static_cast<double>(root.inclusive_bytes);
    for (const CallTree::Node& node : tree.nodes) {
        if (node.depth == 0 || static_cast<double>(node.inclusive_bytes) < least) continue;
        text += fmt::format("{:>12}  {:{}}{}\n", format_bytes(node.inclusive_bytes), "", 2 * (node.depth - 1),
                            one_line(tree.text(node)));
    }
    return terminal_text(text, LineFeeds::kept);
}

std::string tree_json(const CallTree& tree) {
    nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const CallTree::Node& node = tree.nodes[i];
        nodes.push_back({{"id", i},
                         {"parent", i == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(node.parent)},
                         {"depth", node.depth},
                         {"frame", tree.text(node)},
                         {"inclusive", node.inclusive_bytes},
                         {"exclusive", node.exclusive_bytes},
                         {"count", node.count}});
    }
    const nlohmann::ordered_json json = {{"frames", tree_frames_names()[static_cast<std::size_t>(tree.frames)]},
                                         {"bytes", tree.nodes.front().inclusive_bytes},
                                         {"count", tree.nodes.front().count},
                                         {"nodes", std::move(nodes)}};
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int run_tree(const TreeOptions& options) {
    Session session(options.file);
    const Document* document = session.open({.mesh = false});
    if (document == nullptr) return session.status();
    const auto device = session.require_device(options.device);
    if (!device) return session.status();
    const Timeline& timeline = *document->devices[*device].timeline;
    const auto tick = tick_asked(session, timeline, options);
    if (!tick) return session.status();
    const auto lines = StackLines::build(*document->snapshot, &session.progress());
    if (!lines) return session.report(lines.error());
    const TreeFrames frames = tree_frames_named(options.frames).value_or(TreeFrames::filtered);
    const auto tree = make_call_tree(timeline, *lines, *tick, frames, &session.progress());
    if (!tree) return session.report(tree.error());
    session.report_import_log();
    if (options.folded) return session.print(valid_utf8(folded_stacks(*tree)));
    return session.print(options.json ? tree_json(*tree) : tree_text(timeline, *tree));
}

}  // namespace

void add_tree_command(CommandLine& line) {
    const auto options = std::make_shared<TreeOptions>();
    line.command("tree", "Say what is live at a moment, by call path", [options] { return run_tree(*options); })
        .value("FILE", options->file, "The snapshot", {.required = true})
        .value("--event", options->event,
               "The moment after it; counts within the device, from 0, and -1 is before the first; unless given, the peak",
               {.type_name = "E", .check = is_event})
        .value("--frames", options->frames,
               "Which lines of the stacks: all, filtered without the interpreter's and the dispatcher's, python or the "
               "program's own",
               {.one_of = tree_frames_names()})
        .flag("--folded", options->folded, "Folded stacks, for flame graph tools: \"a;b;c bytes\" a line")
        .flag("--json", options->json, "As JSON, for scripts")
        .value("--device", options->device,
               "Number as in the file; unless given the one that ran out of memory, else the one with most events",
               {.type_name = "N"});
}

}  // namespace snapviewer
