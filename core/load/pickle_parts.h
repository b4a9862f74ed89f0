#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/load/byte_window.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether bytes begin like a pickle.
bool looks_like_pickle(std::string_view front);

/// So many bytes suffice for behind_torch_save_number().
inline constexpr std::size_t k_torch_save_front = 32;

/// Where torch.save's old format, from before it wrote zips, goes on behind the pickle of the number that it begins with. 0
/// for any other file.
std::size_t behind_torch_save_number(std::string_view front);

/// Pickles that follow one another in one source, as repeated calls of pickle.dump() write them. Passes over them without
/// reading their values.
class PickleParts : private ByteWindow {
public:
    /// `source`, which outlives this, begins at the byte `begin` of the file.
    explicit PickleParts(ByteSource& source, std::uint64_t begin = 0) : ByteWindow(source, begin) {}

    /// Whether a pickle begins here. Throws as skip_one() does.
    bool is_at_pickle();

    /// Passes over the next pickle. False if what comes next is none, or is not whole; it may be passed in part then.
    /// Throws ReadFailure if the source fails, but not where it breaks off.
    bool skip_one();

    /// What was not passed yet, while this is left as it is.
    RestOfWindow rest() const { return take_rest(); }

private:
    bool skip_instruction();
    void skip_bytes(std::uint64_t count);
    void skip_line();
};

/// What follows a pickle in its source.
struct BehindPickle {
    std::uint32_t pickles = 0;          ///< whole ones that follow at once
    std::optional<ReadFailure> damage;  ///< of the source, which unpackers see at its end
};

/// Reads the rest of a source to its end; counts pickles if `counts`. Throws ReadFailure if the source fails without damage.
BehindPickle look_behind(RestOfWindow rest, bool counts);

/// Says in the log which of a file's pickles is shown, if there is more than one.
void note_other_parts(Snapshot& snapshot, std::uint32_t part, std::uint32_t parts);

}  // namespace snapviewer
