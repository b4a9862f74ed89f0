#include "app/cli/render_command.h"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/option_values.h"
#include "app/cli/rules_file.h"
#include "app/cli/session.h"
#include "app/features/files/content_hash.h"
#include "app/features/notes/note_file.h"
#include "app/features/notes/notes.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/picture/spec_picture.h"

namespace snapviewer {
namespace {

/// Preferences and notes that the window has saved.
struct Remembered {
    Preferences settings;
    std::vector<Note> notes;
    KindRules rules;
};

/// Loads the saved preferences and notes if `spec` asks for them. Must be called before the sandbox starts, which makes
/// these files unreadable.
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

int run_render(const PictureSpec& spec) {
    const Result<Remembered> remembered = remember(spec);
    Session session(spec.file, {.outputs = {spec.out}, .draws = true});
    if (!remembered) return session.report(remembered.error(), spec.rules);
    const Document* document =
        session.open({.with = spec.with, .kind_rules = remembered->rules, .part = part_of(spec.part)});
    if (document == nullptr) return session.status();
    const auto icicle = find_icicle(*document, spec.picture);
    if (!icicle) return session.report(icicle.error());
    if (*icicle) {
        const Status drawn = draw_spec_icicle(*document, **icicle, spec);
        if (!drawn) return session.report(drawn.error(), drawn.error().code == ErrorCode::io ? spec.out : "");
        session.report_import_log();
        return k_done;
    }
    const auto device = session.require_device(spec.device);
    if (!device) return session.status();
    const Status drawn = draw_spec(*document, *device, spec, remembered->settings, remembered->notes, session.progress());
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
