#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/load/byte_source.h"
#include "core/load/failure.h"
#include "core/load/object_builder.h"

/// What to make of a file that breaks off or is damaged.
namespace snapviewer {

/// Puts what a pickle had begun when it broke off into the values it was for, outermost last, and returns the outermost.
/// `stack` and `marks` are those of the pickle's machine. A dict that was not complete is dropped.
Value close_open_values(ObjectBuilder& builder, std::span<const Value> stack, std::span<const std::size_t> marks);

/// Reads a source to its end, which is where unpackers check what they unpacked. What is wrong with it, if anything.
/// Stops where the budget of a load ends. Throws ReadFailure if the source fails for another reason.
std::optional<ReadFailure> read_to_end(ByteSource& source);

/// The snapshot of what was read. `damage` is where reading ended before the end of `root`, if it did, and `behind` what is
/// wrong with the source behind that place. Its log says so, also of values in `builder` that cannot be what they should.
/// Throws the damage if no event and no segment was complete.
std::unique_ptr<Snapshot> finish_read(ObjectBuilder& builder, Value root, std::optional<ReadFailure> damage,
                                      const std::optional<ReadFailure>& behind);

}  // namespace snapviewer
