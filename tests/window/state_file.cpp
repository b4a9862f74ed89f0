#include "tests/window/state_file.h"

#include <utility>

#include "app/features/session.h"
#include "app/shell/application.h"
#include "core/base/output_file.h"
#include "core/base/text.h"
#include "tests/window/describe.h"

namespace snapviewer::window_test {
namespace {

constexpr auto k_min_interval = std::chrono::milliseconds(20);

}  // namespace

void StateFile::item(std::string_view name, float left, float top, float right, float bottom) {
    const auto [known, is_first] = rects_.try_emplace(std::string(name));
    // An address map has many blocks and holes; the widest of each kind is reported, because it is the easiest to click.
    const bool is_one_of_many = name.ends_with("_block") || name.ends_with("_free");
    if (!is_first && is_one_of_many && right - left <= known->second[2] - known->second[0]) return;
    known->second = {left, top, right, bottom};
}

void StateFile::end_frame(const shell::Application& application) {
    ++frames_;
    if (const auto& toasts = application.session().toasts.shown(); !toasts.empty()) said_ = toasts.back().text;
    is_behind_ = std::chrono::steady_clock::now() - written_at_ < k_min_interval;
    if (is_behind_) return;
    const std::string text = text_of(application);
    if (text == written_) return;
    if (!OutputFile::write_whole(path_, text + '\n', OutputFile::Durability::unsynced)) return;
    written_ = text;
    written_at_ = std::chrono::steady_clock::now();
}

std::string StateFile::text_of(const shell::Application& application) const {
    JsonValue report = {{"said", said_}, {"frames", frames_}, {"rects", rects_}};
    describe(application, report);
    return json_text(report, 1);
}

}  // namespace snapviewer::window_test
