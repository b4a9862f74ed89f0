#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/load/byte_window.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// True if bytes begin like a pickle.
bool looks_like_pickle(std::string_view front);

/// Number of first bytes that behind_torch_save_number() needs.
inline constexpr std::size_t k_torch_save_front = 32;

/// Returns the offset behind the pickle of a fixed number with which torch.save's old format (not a zip) begins. Returns 0
/// for any other file.
std::size_t behind_torch_save_number(std::string_view front);

/// Skips pickles that follow one another in one source, as repeated calls of pickle.dump() write them, without reading their
/// values.
class PickleParts : private ByteWindow {
public:
    /// `source` must outlive this. It begins at the byte `begin` of the file.
    explicit PickleParts(ByteSource& source, std::uint64_t begin = 0) : ByteWindow(source, begin) {}

    /// True if a pickle begins at the current position. Throws as skip_one() does.
    bool is_at_pickle();

    /// Skips the next pickle. Returns false if none follows or it is incomplete; part of it may have been skipped. Throws
    /// Failure if the source fails, but not if it breaks off.
    bool skip_one();

    /// Returns the bytes that were not skipped. This object must not be used while the result is read.
    RestOfWindow rest() const { return take_rest(); }

private:
    bool skip_instruction();
    void skip_bytes(std::uint64_t count);
    void skip_line();
};

/// The contents of a source after a pickle.
struct BehindPickle {
    std::uint32_t pickles = 0;      ///< Number of complete pickles that follow directly
    std::optional<Failure> damage;  ///< Damage of the source, which unpackers find at its end
};

/// Reads the rest of a source to its end, and counts the pickles in it if `counts` is true. Throws Failure if the source
/// fails for another reason than damage.
BehindPickle look_behind(RestOfWindow rest, bool counts);

/// Logs which of a file's pickles is shown, if there are several.
void note_other_parts(Snapshot& snapshot, std::uint32_t part, std::uint32_t parts);

}  // namespace snapviewer
