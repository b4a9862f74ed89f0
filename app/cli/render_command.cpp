#include "app/cli/render_command.h"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/rules_file.h"
#include "app/cli/session.h"
#include "app/features/files/content_hash.h"
#include "app/features/notes/note_file.h"
#include "app/features/notes/notes.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/save_picture/picture_values.h"
#include "app/features/timeline/colour_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/picture/icicle_picture.h"
#include "app/picture/picture.h"

namespace snapviewer {
namespace {

/// What the window remembers, of itself and of the file.
struct Remembered {
    Preferences settings;
    std::vector<Note> notes;
    KindRules rules;
};

/// To be called before the sandbox, which keeps these files from being read.
Result<Remembered> remember(const PictureSpec& spec) {
    Remembered remembered;
    if (spec.remembered) {
        remembered.settings = load_preferences();
        if (const auto rules = KindRules::parse(remembered.settings.kind_rules); rules) remembered.rules = *rules;
        const std::optional<std::uint64_t> content = content_hash(spec.file);
        if (content && !notes_path(*content).empty()) {
            auto notes = read_notes(notes_path(*content));
            if (!notes) return notes.error();
            remembered.notes = *std::move(notes);
        }
    }
    if (spec.rules.empty()) return remembered;
    const auto rules = read_rules_file(spec.rules);
    if (!rules) return rules.error();
    remembered.rules = *rules;
    return remembered;
}

RenderOptions render_options(const PictureSpec& spec) {
    RenderOptions options;
    options.out = spec.out;
    options.ground = spec.theme == "light" ? Ground::light : Ground::dark;
    options.colour_by = colour_named(spec.colour_by);
    options.stack = spec.stack;
    options.group = spec.group;
    options.search = spec.search;
    options.selected = spec.select;
    if (const auto size = parse_size(spec.size)) {
        options.width_px = size->width_px;
        options.height_px = size->height_px;
    }
    if (const auto range = parse_view(spec.view)) {
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
    return Error{ErrorCode::bad_file, "has no picture called '" + picture + "'; expected one of: " + known};
}

Status draw_timeline(const Document& document, std::size_t device, const PictureSpec& spec, const Remembered& remembered,
                     Progress& progress) {
    const ViewKind kind = view_kind_named(spec.shows).value_or(ViewKind::allocations);
    if (const std::string why_not = why_no_view(*document.snapshot, device, kind); !why_not.empty()) {
        return Error{ErrorCode::bad_file,
                     "has no picture of " + view_kind_names()[static_cast<std::size_t>(kind)] + ": " + why_not};
    }
    const Result<DeviceView> view = build_view(document, device, kind, progress);
    if (!view) return view.error();
    const Timeline& timeline = *view->timeline;
    RenderOptions options = render_options(spec);
    options.axis = default_axis(timeline);
    if (!spec.axis.empty()) options.axis = spec.axis == "time" ? Axis::time : Axis::steps;
    if (options.axis == Axis::time && !timeline.has_times()) {
        const char* reason = kind == ViewKind::pools ? "has steps of its own when drawn as pools" : "has no recorded times";
        return Error{ErrorCode::bad_file, std::string(reason) + "; only --axis steps is possible"};
    }
    options.shown = remembered.settings;
    options.names_blocks = spec.remembered && remembered.settings.show_names;
    options.notes = notes_in_picture(remembered.notes, timeline, options.axis, device, kind);
    return render_picture(document, *view, options);
}

int run_render(const PictureSpec& spec) {
    const Result<Remembered> remembered = remember(spec);
    Session session(spec.file, {.outputs = {spec.out}, .draws = true});
    if (!remembered) return session.report(remembered.error(), spec.rules);
    const Document* document = session.open({.with = spec.with, .kind_rules = remembered->rules});
    if (document == nullptr) return session.status();
    const auto icicle = find_icicle(*document, spec.picture);
    if (!icicle) return session.report(icicle.error());
    if (*icicle) {
        const Status drawn = render_icicle(*document, **icicle, render_options(spec));
        if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? spec.out : "");
        session.report_import_log();
        return k_done;
    }
    const auto device = session.require_device(spec.device);
    if (!device) return session.status();
    const Status drawn = draw_timeline(*document, *device, spec, *remembered, session.progress());
    if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? spec.out : "");
    session.report_import_log();
    return k_done;
}

}  // namespace

void add_render_command(CommandLine& line) {
    const auto spec = std::make_shared<PictureSpec>();
    Arguments arguments =
        line.command("render", "Draw a picture of a file; no display needed", [spec] { return run_render(*spec); });
    for (const PictureOption& option : picture_options()) {
        ValueForm form{
            .required = option.is_required, .type_name = option.type_name, .check = option.check, .is_file = option.is_file};
        if (option.one_of != nullptr) form.one_of = option.one_of();
        std::visit(
            [&](auto field) {
                if constexpr (std::is_same_v<decltype(field), bool PictureSpec::*>)
                    arguments.flag(option.name, (*spec).*field, option.about);
                else
                    arguments.value(option.name, (*spec).*field, option.about, form);
            },
            option.field);
    }
}

}  // namespace snapviewer
