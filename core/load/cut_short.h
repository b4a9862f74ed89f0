#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/load/byte_source.h"
#include "core/load/failure.h"
#include "core/load/object_builder.h"

/// Handles files that break off or are damaged.
namespace snapviewer {

/// Moves the unfinished values of a pickle that broke off into their containers, outermost last, and returns the outermost.
/// `stack` and `marks` are those of the pickle's machine. Drops an incomplete dict.
Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks);

/// Reads a source to its end, because unpackers check their data there. Returns what is damaged, if anything. Stops at the
/// budget of a load. Throws Failure if the source fails for another reason.
std::optional<Failure> read_to_end(ByteSource& source);

/// Makes the snapshot of the values that were read. `damage` says where reading ended before the end of `root`, if it did,
/// and `behind` what is damaged behind that place. The log reports both, and values in `builder` that are impossible. Throws
/// the damage if no event and no segment was complete.
std::unique_ptr<Snapshot> finish_read(ObjectBuilder& builder, Value root, std::optional<Failure> damage,
                                      const std::optional<Failure>& behind);

}  // namespace snapviewer
