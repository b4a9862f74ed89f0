#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer::notes {

/// A note that the user attached to a point of a picture.
struct Note {
    std::string id;          ///< random, see new_note_id()
    std::size_t device = 0;  ///< index of the device in the file
    ViewKind kind = ViewKind::allocations;
    double step = 0;
    double bytes = 0;
    std::string text;             ///< text of the note; empty if it was deleted
    std::int64_t changed_us = 0;  ///< time of the last change, in microseconds since 1970

    bool operator==(const Note&) const = default;
};

inline constexpr std::size_t k_max_note_bytes = 4096;

/// Path of the file with the notes of a snapshot: notes/0123456789abcdef.json beside the settings file, where the number is
/// `content`, the hash of the snapshot. Empty if the environment defines no settings folder.
std::filesystem::path notes_path(std::uint64_t content);

/// Reads all notes in a file, including deleted ones. Returns an error with a message for the user if it cannot be read; a
/// file that is not valid JSON is renamed out of the way.
Result<std::vector<Note>> read_notes(const std::filesystem::path& path);

/// Merges `notes` with the file: for each id, the most recent change wins. Writes the file atomically, and only if its
/// content changes. Afterwards `notes` has the merged list, sorted by id. Deleted notes remain as tombstones, so that
/// another window cannot bring them back.
Status merge_notes(const std::filesystem::path& path, std::vector<Note>& notes);

/// Returns a random id of 16 hexadecimal digits.
std::string new_note_id();

}  // namespace snapviewer::notes
