#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// A text at a place of a picture.
struct Note {
    std::string id;          ///< drawn at random
    std::size_t device = 0;  ///< its place among those of the file
    ViewKind kind = ViewKind::allocations;
    double step = 0;
    double bytes = 0;
    std::string text;             ///< empty once it was deleted
    std::int64_t changed_us = 0;  ///< since 1970

    bool operator==(const Note&) const = default;
};

inline constexpr std::size_t k_longest_note_bytes = 4096;

/// Where the notes of a file lie, by what it holds: notes/0123456789abcdef.json beside the settings. Empty if the
/// environment names no place.
std::filesystem::path notes_path(std::uint64_t content);

/// The notes of a file, deleted ones too. Fails with a sentence where they cannot be read; a file that holds none is set
/// aside.
Result<std::vector<Note>> read_notes(const std::filesystem::path& path);

/// Joins notes with those that lie there: of each the one that was changed last. Writes the file in one step, and only if
/// that changes it; `notes` then are all of them, in the order of their ids. Deleted ones stay, so that no other window
/// brings them back.
Status merge_notes(const std::filesystem::path& path, std::vector<Note>& notes);

/// 16 hexadecimal digits.
std::string new_note_id();

}  // namespace snapviewer
