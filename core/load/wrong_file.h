#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Error messages for files that are not snapshots, chosen by their first bytes. The file is the subject of a message ("is a
/// checkpoint of torch.save..."), which also says what to do instead.
namespace snapviewer {

/// Returns a message about a file of another program: a trace, a profile, counters or a log. Returns nullopt for other
/// files. `front` is the beginning of the file. `text` is the part of the file that is searched for PyTorch's out-of-memory
/// error.
std::optional<std::string> describe_foreign(std::string_view front, std::string_view text);

/// Returns a message about bytes that no reader recognises. The parameters are those of describe_foreign().
std::string describe_unknown(std::string_view front, std::string_view text);

/// Throws Failure for a file that begins like a page or JSON, but is clearly no snapshot.
void refuse_foreign_page(std::string_view front);
void refuse_foreign_json(std::string_view front);

/// Message for a checkpoint that torch.save wrote, either as a pickle or as a zip.
inline constexpr const char* k_is_checkpoint =
    "is a checkpoint of torch.save, not a memory snapshot; open the file that torch.cuda.memory._dump_snapshot() or "
    "snapviewer's record() wrote";

}  // namespace snapviewer
