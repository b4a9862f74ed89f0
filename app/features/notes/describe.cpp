#include <nlohmann/json.hpp>

#include "app/features/notes/notes.h"

namespace snapviewer {
namespace {

using JsonValue = nlohmann::json;

JsonValue notes_report(const NotesState& notes) {
    JsonValue list = JsonValue::array();
    for (const Note& note : notes.notes) {
        if (!note.text.empty())
            list.push_back(
                {{"id", note.id}, {"device", note.device}, {"step", note.step}, {"bytes", note.bytes}, {"text", note.text}});
    }
    return {{"list", std::move(list)},
            {"edited", notes.edited ? JsonValue(notes.edited->text) : JsonValue(nullptr)},
            {"changes", notes.replaced.size()}};
}

}  // namespace

void Notes::describe(nlohmann::json& report) const { report["notes"] = notes_report(state_.notes); }

}  // namespace snapviewer
