#include "app/features/flame/flame.h"

#include <utility>

#include "app/features/session.h"
#include "app/ui/sandboxed.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/context.h"
#include "core/base/output_file.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

Status write_text(const std::string& path, const std::string& text) {
    Result<OutputFile> file = OutputFile::create(path);
    if (!file) return file.error();
    file->write(text);
    return file->commit();
}

}  // namespace

Job<FlameOutcome>::Work make_flame_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                       stacks::FlameMoment moment) {
    return [document = std::move(document), device_index, moment = std::move(moment)](Progress&) {
        return within_memory<FlameOutcome>(document->snapshot->read_bytes, [&]() -> FlameOutcome {
            findings::DeviceAnalyses& device = document->analyses->device(device_index);
            const auto lines = device.stack_lines();
            return MadeFlame{
                moment, std::make_shared<const stacks::Icicle>(stacks::make_flame_graph(device.timeline(), *lines, moment))};
        });
    };
}

Job<WrittenFolded>::Work make_folded_job(std::shared_ptr<const Document> document, std::size_t device_index,
                                         stacks::FlameMoment moment, std::string path) {
    return [document = std::move(document), device_index, moment = std::move(moment), path = std::move(path)](Progress&) {
        WrittenFolded written{path, {}, {}};
        findings::DeviceAnalyses& device = document->analyses->device(device_index);
        const auto folded =
            caught([&] { return stacks::flame_as_folded(device.timeline(), *device.stack_lines(), moment); });
        if (!folded) return WrittenFolded{path, folded.error(), {}};
        if (path.empty())
            written.text = valid_utf8(*folded);
        else
            written.status = write_text(path, valid_utf8(*folded));
        return written;
    };
}

namespace {

bool has_selected_call(const Session& session) {
    if (!session.shows_flame_graph() || !has_selected_node(session)) return false;
    return session.shown_icicle()->nodes[*session.icicle.views[*session.icicle.shown].selected].is_call();
}

}  // namespace

void FlameGraphs::connect(Switchboard& board) {
    board.commands.on(CommandId::view_flame, {.is_possible = has_picture,
                                              .is_on = [](const Session& session) { return session.shows_flame_graph(); },
                                              .run = [this] { toggle(); }});
    board.commands.on(CommandId::view_callers,
                      {.is_possible = has_selected_call, .run = [this] { show_callers_of_selected(); }});
    board.commands.on(CommandId::callers_leave, {.run = [this] { leave_callers(); }});
    board.commands.on(CommandId::folded_copy, {.run = [this] { save_folded(""); }});
    board.handlers.on<ShowCallers>([this](const ShowCallers& asked) { show_callers(asked.node); });
    board.handlers.on<SaveFolded>([this](const SaveFolded& asked) { save_folded(asked.path); });
}

void FlameGraphs::leave() { session_.flame = FlameState{}; }

}  // namespace snapviewer
