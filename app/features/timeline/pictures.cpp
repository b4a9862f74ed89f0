#include "app/features/timeline/pictures.h"

#include <fmt/format.h>

#include <string>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/colouring.h"
#include "core/base/text.h"

namespace snapviewer {

std::string device_title(const DevicePictures& device) {
    const Timeline& timeline = *device.current().made.timeline;
    std::string title = fmt::format("{}{}: {}, {}", device_name(timeline.trace()), device.badges,
                                    counted(timeline, timeline.allocation_count()), labelled_peak_text(timeline));
    if (device.findings) title += fmt::format(", {} finding{}", *device.findings, *device.findings == 1 ? "" : "s");
    return title;
}

void BlockNames::connect(Switchboard& board) {
    board.commands.on(CommandId::view_names,
                      {.is_possible = has_picture,
                       .is_on = [](const Session& session) { return session.preferences.show_names; },
                       .run = [this] { session_.preferences.show_names = !session_.preferences.show_names; }});
}

namespace {

const std::string& why_not(const Session& session, ViewKind kind) {
    return session.devices[session.device_index].why_not[static_cast<std::size_t>(kind)];
}

bool can_show(const Session& session, ViewKind kind) { return has_picture(session) && why_not(session, kind).empty(); }

/// A sentence about the contents of a picture, or the reason why the device has no such picture.
std::string kind_doc(const Session& session, ViewKind kind) {
    if (has_picture(session) && !why_not(session, kind).empty()) return why_not(session, kind);
    switch (kind) {
        case ViewKind::allocations: return "What the program allocated";
        case ViewKind::segments: return "What was reserved from the driver, with the mappings of expandable segments";
        case ViewKind::pools:
            return "Allocations grouped by private pool (of a CUDA graph or created by the program),\nwith what each pool "
                   "holds but does not use";
    }
    return "";
}

/// Returns why the picture cannot be coloured by `by`, or "" if it can. Kinds are always available for allocations, because
/// the analysis that finds them may still be running.
std::string why_no_colouring(const Session& session, mesh::ColourBy by) {
    if (!has_picture(session)) return "";
    if (by != mesh::ColourBy::kind)
        return session.devices[session.device_index].current().why_no_colours[static_cast<std::size_t>(by)];
    if (session.current_kind() == ViewKind::allocations) return "";
    return "Only allocations have kinds, not segments or pools";
}

}  // namespace

CommandId command_of(ViewKind kind) { return command_after(CommandId::view_allocations, static_cast<std::size_t>(kind)); }

void Pictures::connect_kinds(Commands& commands) {
    for (const ViewKind kind : {ViewKind::allocations, ViewKind::segments, ViewKind::pools}) {
        commands.on(
            command_of(kind),
            {.is_possible = [kind](const Session& session) { return can_show(session, kind); },
             .is_on = [kind](const Session& session) { return has_picture(session) && session.current_kind() == kind; },
             .doc = [kind](const Session& session) { return kind_doc(session, kind); },
             .run = [this, kind] { show_view(kind); }});
    }
    const auto has_several = [](const Session& session) {
        return can_show(session, ViewKind::segments) || can_show(session, ViewKind::pools);
    };
    commands.on(CommandId::view_next_kind, {.is_possible = has_several, .run = [this] { show_next_view(); }});
}

void Pictures::connect_colours(Switchboard& board) {
    for (const Colouring& colouring : colourings()) {
        const mesh::ColourBy by = colouring.by;
        const auto can_colour = [by](const Session& session) {
            return has_picture(session) && why_no_colouring(session, by).empty();
        };
        const auto doc = [&colouring](const Session& session) {
            const std::string why_not = why_no_colouring(session, colouring.by);
            return why_not.empty() ? colouring.doc : why_not;
        };
        board.commands.on(colouring.command, {.is_possible = can_colour,
                                              .is_on = [by](const Session& session) { return session.colour_by == by; },
                                              .doc = doc,
                                              .run = [&board, by] { board.requests.ask(ColourAs{by}); }});
    }
}

void Pictures::connect(Switchboard& board) {
    connect_kinds(board.commands);
    connect_colours(board);
    board.handlers.on<ShowDevice>([this](const ShowDevice& asked) { show_device(asked.index); });
    board.handlers.on<ColourAs>([this](const ColourAs& asked) { colour_by(asked.by); });
}

}  // namespace snapviewer
