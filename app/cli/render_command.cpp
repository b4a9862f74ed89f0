#include "app/cli/render_command.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/rules_file.h"
#include "app/cli/session.h"
#include "app/features/files/content_hash.h"
#include "app/features/notes/note_file.h"
#include "app/features/notes/notes.h"
#include "app/features/timeline/colour_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/picture/icicle_picture.h"
#include "app/picture/picture.h"

namespace snapviewer {
namespace {

struct RenderArguments {
    std::string file;
    std::string out;
    std::string size = "1600x900";
    std::string view;
    std::string axis;
    std::string picture;
    std::string shows = "allocations";
    std::string with;
    std::string drawing;
    std::string colour_by;
    std::string theme;
    std::optional<int> device;
    std::string search;
    std::string group;
    std::string rules;
    std::optional<int> stack;
    std::optional<std::size_t> select;
    bool remembered = false;
};

/// What the window remembers, of itself and of the file.
struct Remembered {
    Preferences settings;
    std::vector<Note> notes;
    KindRules rules;
};

/// To be called before the sandbox, which keeps these files from being read.
Result<Remembered> remember(const RenderArguments& arguments) {
    Remembered remembered;
    if (arguments.remembered) {
        remembered.settings = load_preferences();
        if (const auto rules = KindRules::parse(remembered.settings.kind_rules); rules) remembered.rules = *rules;
        const std::optional<std::uint64_t> content = content_hash(arguments.file);
        if (content && !notes_path(*content).empty()) {
            auto notes = read_notes(notes_path(*content));
            if (!notes) return notes.error();
            remembered.notes = *std::move(notes);
        }
    }
    if (arguments.rules.empty()) return remembered;
    const auto rules = read_rules_file(arguments.rules);
    if (!rules) return rules.error();
    remembered.rules = *rules;
    return remembered;
}

RenderOptions render_options(const RenderArguments& arguments) {
    RenderOptions options;
    options.out = arguments.out;
    options.drawing = drawing_named(arguments.drawing);
    options.ground = arguments.theme == "light" ? Ground::light : Ground::dark;
    options.colour_by = colour_named(arguments.colour_by);
    options.stack = arguments.stack;
    options.group = arguments.group;
    options.search = arguments.search;
    options.selected = arguments.select;
    if (const auto size = parse_size(arguments.size)) {
        options.width_px = size->width_px;
        options.height_px = size->height_px;
    }
    if (const auto range = parse_view(arguments.view)) {
        options.view = range->view;
        options.view_has_y = range->has_y;
    }
    return options;
}

/// An icicle of the document by its name, or the first one where there is nothing else to draw; none for the timeline.
Result<std::optional<std::size_t>> find_icicle(const Document& document, const std::string& picture) {
    const bool wants_timeline = picture == "iteration" || picture.empty();
    if (wants_timeline && !document.devices.empty()) return std::optional<std::size_t>();
    if (picture.empty() && !document.icicles.empty()) return std::optional<std::size_t>(0);
    if (picture.empty()) return std::optional<std::size_t>();  // the error is that there is no device
    std::string known = document.devices.empty() ? "" : "iteration";
    for (std::size_t i = 0; i < document.icicles.size(); ++i) {
        if (document.icicles[i].name == picture) return std::optional(i);
        known += (known.empty() ? "" : "; ") + document.icicles[i].name;
    }
    return Error{ErrorCode::bad_file, "has no picture '" + picture + "', only: " + known};
}

Status draw_timeline(const Document& document, std::size_t device, const RenderArguments& arguments,
                     const Remembered& remembered, Progress& progress) {
    const ViewKind kind = view_kind_named(arguments.shows).value_or(ViewKind::allocations);
    if (const std::string why_not = why_no_view(*document.snapshot, device, kind); !why_not.empty()) {
        return Error{ErrorCode::bad_file, "has no picture of " + arguments.shows + ": " + why_not};
    }
    const Result<DeviceView> view = build_view(document, device, kind, progress);
    if (!view) return view.error();
    const Timeline& timeline = *view->timeline;
    RenderOptions options = render_options(arguments);
    options.axis = default_axis(timeline);
    if (!arguments.axis.empty()) options.axis = arguments.axis == "time" ? Axis::time : Axis::steps;
    if (options.axis == Axis::time && !timeline.has_times()) {
        const char* reason = kind == ViewKind::pools ? "as pools has steps of its own" : "has no recorded times";
        return Error{ErrorCode::bad_file, std::string(reason) + "; only --axis steps is possible"};
    }
    options.shown = remembered.settings;
    options.names_blocks = arguments.remembered && remembered.settings.show_names;
    options.notes = notes_in_picture(remembered.notes, timeline, options.axis, device, kind);
    return render_picture(document, *view, options);
}

int run_render(const RenderArguments& arguments) {
    const Result<Remembered> remembered = remember(arguments);
    Session session(arguments.file, {.outputs = {arguments.out}, .draws = true});
    if (!remembered) return session.report(remembered.error(), arguments.rules);
    // The driver is not known yet; for one picture the budget of a slow one will do.
    const MeshOptions mesh_options{mesh_budget_bytes(drawing_named(arguments.drawing), 0, true)};
    const Document* document =
        session.open({.with = arguments.with, .mesh_options = mesh_options, .kind_rules = remembered->rules});
    if (document == nullptr) return session.status();
    const auto icicle = find_icicle(*document, arguments.picture);
    if (!icicle) return session.report(icicle.error());
    if (*icicle) {
        const Status drawn = render_icicle(*document, **icicle, render_options(arguments));
        if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? arguments.out : "");
        session.report_import_log();
        return k_done;
    }
    const auto device = session.require_device(arguments.device);
    if (!device) return session.status();
    const Status drawn = draw_timeline(*document, *device, arguments, *remembered, session.progress());
    if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? arguments.out : "");
    session.report_import_log();
    return k_done;
}

}  // namespace

void add_render_command(CommandLine& line) {
    const auto arguments = std::make_shared<RenderArguments>();
    line.command("render", "Draw a file into a picture; needs no display", [arguments] { return run_render(*arguments); })
        .value("FILE", arguments->file, "The snapshot", {.required = true})
        .value("--out", arguments->out, "The picture to write: an SVG where the name ends in .svg, otherwise a PNG",
               {.required = true, .type_name = "FILE"})
        .value("--size", arguments->size, "In pixels, 1600x900 unless given",
               {.type_name = "WIDTHxHEIGHT", .check = is_size})
        .value("--device", arguments->device,
               "Number as in the file; unless given the one that ran out of memory, else the one with most events",
               {.type_name = "N"})
        .value("--axis", arguments->axis, "What runs from left to right, steps unless the file suggests time",
               {.one_of = {"steps", "time"}})
        .value("--picture", arguments->picture, "Of a report of Skyline or DeepView: iteration, or the name of an icicle",
               {.type_name = "NAME"})
        .value("--shows", arguments->shows, "What of the device to draw, allocations unless given",
               {.one_of = view_kind_names()})
        .value(
            "--colour-by", arguments->colour_by,
            "What the colours tell, with a legend where they have names; stacks unless given, of a memory report categories",
            {.one_of = colour_names()})
        .value("--theme", arguments->theme, "What it is drawn on, dark unless given", {.one_of = {"light", "dark"}})
        .value("--with", arguments->with, k_with_about)
        .value("--view", arguments->view, "The part to draw: steps (or microseconds) and bytes",
               {.type_name = "X0:X1[,Y0:Y1]", .check = is_view})
        .value("--search", arguments->search,
               "What stands out, as in the window's search: text, function:NAME, size > 100 MiB, ... All else is grey",
               {.type_name = "TEXT", .check = is_search})
        .value("--stack", arguments->stack, "What stands out: all that a stack made, by its stack_id in SQL",
               {.type_name = "N"})
        .value("--group", arguments->group, "What stands out: a row of the legend of colours", {.type_name = "NAME"})
        .value(
            "--select", arguments->select,
            "The allocation to outline, by its id in the table allocations; of segments and pools its place in the picture",
            {.type_name = "ID"})
        .flag("--remembered", arguments->remembered,
              "As the window remembers it: with the notes of this file, your rules for kinds, and the overlays and tracks "
              "that you show")
        .value("--rules", arguments->rules, "Your own rules for what allocations are for, as JSON; docs/analyses.md tells",
               {.type_name = "FILE"})
        .value("--drawing", arguments->drawing, "What to draw the picture from; auto takes what this driver draws faster",
               {.one_of = drawing_names()});
}

}  // namespace snapviewer
