#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Describes files that are no snapshots, for the error that refuses them, by their first bytes. A sentence has no subject,
/// which is the file, and says what to do instead.
namespace snapviewer {

/// Describes a file of another program: a trace, a profile, counters, a log. `front` is the beginning of the file. `text` is
/// the part of the file that is searched for PyTorch's out-of-memory error. nullopt for other files.
std::optional<std::string> describe_foreign(std::string_view front, std::string_view text);

/// Describes bytes that no reader recognises.
std::string describe_unknown(std::string_view front, std::string_view text);

/// Throws Failure for a file that begins like a page or JSON, but is clearly no snapshot.
void refuse_foreign_page(std::string_view front);
void refuse_foreign_json(std::string_view front);

/// The sentence for what torch.save wrote, as a pickle or as a zip.
inline constexpr const char* k_is_checkpoint =
    "is a checkpoint of torch.save, not a memory snapshot; open the file that torch.cuda.memory._dump_snapshot() or "
    "snapviewer's record() wrote";

}  // namespace snapviewer
