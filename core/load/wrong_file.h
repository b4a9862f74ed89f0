#pragma once

#include <string_view>

/// What files are that were taken for snapshots: for the error that refuses them, as far as their first bytes tell.
namespace snapviewer {

/// What bytes look like that no reader recognises, and what to do about it. A sentence without its subject, the file.
const char* describe_unknown(std::string_view front);

/// For a file that begins like a page, a pickle or JSON, and shows to be none of ours before it is read: throws ReadFailure.
void refuse_foreign_page(std::string_view front);
void refuse_foreign_pickle(std::string_view front);
void refuse_foreign_json(std::string_view front);

/// The sentence for what torch.save wrote, as a pickle or as a zip.
inline constexpr const char* k_is_checkpoint =
    "is a checkpoint of torch.save, not a memory snapshot; open the file that torch.cuda.memory._dump_snapshot() or "
    "snapviewer's record() wrote";

}  // namespace snapviewer
