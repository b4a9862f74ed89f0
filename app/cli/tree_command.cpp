#include "app/cli/tree_command.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/session.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/analysis/stacks/flame_graph.h"
#include "core/base/context.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

/// Nodes with a smaller share of the total are left out of the printed tree.
constexpr double k_least_printed_share = 0.02;

constexpr std::size_t k_printed_at_once_bytes = 1 << 20;

struct TreeArguments {
    std::string file;
    std::optional<std::size_t> part;
    std::optional<int> device;
    std::string event;
    std::string since;
    bool with_freed = false;
    std::string frames = "python";
    bool folded = false;
    bool json = false;
};

/// Returns the tick after an event of the device, or `otherwise` if `event` is empty. nullopt after an error, which has been
/// reported.
std::optional<std::uint32_t> tick_after(Session& session, std::size_t device_index, const std::string& event,
                                        std::uint32_t otherwise) {
    if (event.empty()) return otherwise;
    const auto moment = session.find_moment(device_index, parse_event(event).value_or(-1));
    if (!moment) return std::nullopt;
    return tick_of_moment(*session.document()->devices[device_index].timeline, *moment);
}

/// Returns the requested moment, or the range that ends at it; the moment is the peak by default. nullopt after an error,
/// which has been reported.
std::optional<FlameMoment> moment_asked(Session& session, std::size_t device_index, const TreeArguments& arguments) {
    FlameMoment moment;
    moment.paths.frames = tree_frames_named(arguments.frames).value_or(TreeFrames::python);
    const Timeline& timeline = *session.document()->devices[device_index].timeline;
    const auto tick = tick_after(session, device_index, arguments.event, timeline.peak_tick());
    if (!tick) return std::nullopt;
    moment.tick = *tick;
    if (arguments.since.empty()) return moment;
    const auto first_tick = tick_after(session, device_index, arguments.since, 0);
    if (!first_tick) return std::nullopt;
    if (*first_tick > moment.tick) {
        session.report({ErrorCode::bad_file, "has the event given by --since after the moment of the tree"});
        return std::nullopt;
    }
    moment.of = arguments.with_freed ? FlameOf::made : FlameOf::left;
    moment.first_tick = *first_tick;
    return moment;
}

std::string heading(const Timeline& timeline, const FlameMoment& moment) {
    const std::string step = format_count(timeline.step_of_tick(moment.tick));
    const std::string since = format_count(timeline.step_of_tick(moment.first_tick));
    switch (moment.of) {
        case FlameOf::live: return "live at step " + step;
        case FlameOf::made: return fmt::format("allocated after step {} up to step {}", since, step);
        case FlameOf::left: return fmt::format("allocated after step {} and live at step {}", since, step);
    }
    return "";
}

std::string tree_text(const std::string& title, const CallTree& tree) {
    const CallTree::Node& root = tree.nodes.front();
    std::string text =
        fmt::format("{}: {} in {}\n", title, format_bytes(root.inclusive_bytes), counted(root.count, "allocation"));
    const double least = k_least_printed_share * static_cast<double>(root.inclusive_bytes);
    for (const CallTree::Node& node : tree.nodes) {
        if (node.depth == 0 || static_cast<double>(node.inclusive_bytes) < least) continue;
        text += fmt::format("{:>12}  {:{}}{}\n", format_bytes(node.inclusive_bytes), "", 2 * (node.depth - 1),
                            one_line(tree.text(node)));
    }
    return terminal_text(text, LineFeeds::kept);
}

std::string node_json(const CallTree& tree, std::size_t i) {
    const CallTree::Node& node = tree.nodes[i];
    return fmt::format(
        "  {{\n   \"id\": {},\n   \"parent\": {},\n   \"depth\": {},\n   \"frame\": {},\n   \"inclusive\": {},\n   "
        "\"exclusive\": {},\n   \"count\": {}\n  }}",
        i, i == 0 ? "null" : std::to_string(node.parent), node.depth, json_quoted(tree.text(node)), node.inclusive_bytes,
        node.exclusive_bytes, node.count);
}

/// Prints the tree as JSON, node by node, because a large tree would take several times its memory as JSON values.
int print_json(Session& session, const std::string& frames, const CallTree& tree) {
    const CallTree::Node& root = tree.nodes.front();
    std::string text = fmt::format("{{\n \"frames\": {},\n \"bytes\": {},\n \"count\": {},\n", json_quoted(frames),
                                   root.inclusive_bytes, root.count);
    if (tree.cut_count > 0) text += fmt::format(" \"cut\": {},\n", tree.cut_count);
    text += " \"nodes\": [\n";
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        text += (i == 0 ? "" : ",\n") + node_json(tree, i);
        if (text.size() < k_printed_at_once_bytes) continue;
        if (const int status = session.print(text); status != k_done) return status;
        text.clear();
    }
    return session.print(text + "\n ]\n}\n");
}

int run_tree(const TreeArguments& arguments) {
    Session session(arguments.file);
    const Document* document = session.open({.mesh = false, .part = part_of(arguments.part)});
    if (document == nullptr) return session.status();
    const auto device = session.require_device(arguments.device);
    if (!device) return session.status();
    const Timeline& timeline = *document->devices[*device].timeline;
    const auto moment = moment_asked(session, *device, arguments);
    if (!moment) return session.status();
    const auto tree = caught(&session.progress(), [&] {
        const StackLines lines = StackLines::build(*document->snapshot);
        return make_call_tree(timeline, lines, counted_allocations(timeline, *moment), moment->paths);
    });
    if (!tree) return session.report(tree.error());
    session.report_import_log();
    if (tree->cut_count > 0)
        session.note(
            fmt::format("call paths are cut for {}; their bytes are counted where the path ends; --frames own or python "
                        "gives shorter paths",
                        counted(tree->cut_count, "allocation")));
    if (arguments.folded) return session.print(valid_utf8(folded_stacks(*tree)));
    if (arguments.json) return print_json(session, arguments.frames, *tree);
    return session.print(tree_text(heading(timeline, *moment), *tree));
}

}  // namespace

void add_tree_command(CommandLine& line) {
    const auto arguments = std::make_shared<TreeArguments>();
    line.command("tree", "Show what is live at a moment, by call path", [arguments] { return run_tree(*arguments); })
        .value("FILE", arguments->file, "The snapshot", {.required = true, .is_file = true})
        .value("--event", arguments->event,
               "The moment after the event with this number, as in report and events.id; -1 for before the first event; by "
               "default "
               "the peak",
               {.type_name = "E", .check = is_event})
        .value("--since", arguments->since,
               "Only what was allocated after this event and is still live; numbered like --event",
               {.type_name = "E", .check = is_event})
        .flag("--with-freed", arguments->with_freed, "With --since: also what was freed again in between")
        .value("--frames", arguments->frames,
               "Which lines of the stacks: all, filtered (without the interpreter and the dispatcher), python (the default: "
               "without C++ and launchers), or own (the program's own); modules: instead of lines the modules that the "
               "program named",
               {.one_of = tree_frames_names()})
        .flag("--folded", arguments->folded, "Folded stacks, for flame graph tools: one \"a;b;c bytes\" per line")
        .flag("--json", arguments->json, "Print JSON, for scripts")
        .value("--part", arguments->part, k_part_about, {.type_name = "N"})
        .value("--device", arguments->device, k_device_about, {.type_name = "N"});
}

}  // namespace snapviewer
