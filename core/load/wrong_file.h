#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What files are that were taken for snapshots: for the error that refuses them, as far as their first bytes tell.
/// Sentences come without their subject, the file, and say what to do instead.
namespace snapviewer {

/// What another program wrote: a trace, a profile, counters, a log. `front` are the first bytes; a log with PyTorch's
/// out-of-memory error is recognised by `text`, as much of the file as can be searched. None if the file is of no such kind.
std::optional<std::string> describe_foreign(std::string_view front, std::string_view text);

/// What bytes look like that no reader recognises.
std::string describe_unknown(std::string_view front, std::string_view text);

/// For a file that begins like a page or JSON, and shows to be none of ours before it is read: throws ReadFailure.
void refuse_foreign_page(std::string_view front);
void refuse_foreign_json(std::string_view front);

/// The sentence for what torch.save wrote, as a pickle or as a zip.
inline constexpr const char* k_is_checkpoint =
    "is a checkpoint of torch.save, not a memory snapshot; open the file that torch.cuda.memory._dump_snapshot() or "
    "snapviewer's record() wrote";

}  // namespace snapviewer
