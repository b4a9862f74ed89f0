#include "app/features/notes/note_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "app/features/preferences.h"
#include "core/document/document.h"

namespace snapviewer::notes {
namespace {

using JsonValue = nlohmann::json;

constexpr std::size_t k_max_notes = 10'000;

JsonValue to_json(const Note& note) {
    return {{"id", note.id},
            {"device", note.device},
            {"shows", view_kind_names()[static_cast<std::size_t>(note.kind)]},
            {"step", note.step},
            {"bytes", note.bytes},
            {"text", note.text},
            {"changed_us", note.changed_us}};
}

/// The user may have edited the file by hand, so invalid notes are skipped.
void add_note(const JsonValue& value, std::vector<Note>& notes) {
    try {
        Note note;
        note.id = value.at("id").get<std::string>();
        note.device = value.at("device").get<std::size_t>();
        note.kind = view_kind_named(value.at("shows").get<std::string>()).value_or(ViewKind::allocations);
        note.step = value.at("step").get<double>();
        note.bytes = value.at("bytes").get<double>();
        note.text = value.at("text").get<std::string>();
        note.changed_us = value.at("changed_us").get<std::int64_t>();
        if (!note.id.empty() && note.text.size() <= k_max_note_bytes && notes.size() < k_max_notes)
            notes.push_back(std::move(note));
    } catch (const JsonValue::exception&) {
    }
}

std::vector<Note> notes_in(const JsonValue& object) {
    std::vector<Note> notes;
    const auto found = object.find("notes");
    if (found == object.end() || !found->is_array()) return notes;
    for (const JsonValue& value : *found) add_note(value, notes);
    return notes;
}

/// Keeps the most recently changed note of each id, in the order of ids.
void keep_newest(std::vector<Note>& notes) {
    std::ranges::sort(notes,
                      [](const Note& a, const Note& b) { return a.id != b.id ? a.id < b.id : a.changed_us > b.changed_us; });
    const auto rest = std::ranges::unique(notes, {}, &Note::id);
    notes.erase(rest.begin(), rest.end());
}

}  // namespace

std::filesystem::path notes_path(std::uint64_t content) {
    const std::filesystem::path settings = preferences_path();
    return settings.empty() ? settings : settings.parent_path() / "notes" / fmt::format("{:016x}.json", content);
}

Result<std::vector<Note>> read_notes(const std::filesystem::path& path) {
    const Result<JsonValue> stored = read_user_file(path);
    if (!stored) return Error{ErrorCode::io, stored.error().message};
    std::vector<Note> notes = notes_in(*stored);
    keep_newest(notes);
    return notes;
}

Status merge_notes(const std::filesystem::path& path, std::vector<Note>& notes) {
    if (path.empty()) return Error{ErrorCode::io, "there is no folder for preferences"};
    return change_user_file(path, OutputFile::Durability::unsynced, [&](JsonValue& stored) {
        const std::vector<Note> there = notes_in(stored);
        notes.insert(notes.end(), there.begin(), there.end());
        keep_newest(notes);
        if (notes == there) return false;
        JsonValue all = JsonValue::array();
        for (const Note& note : notes) all.push_back(to_json(note));
        stored["notes"] = std::move(all);
        return true;
    });
}

std::string new_note_id() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace snapviewer::notes
