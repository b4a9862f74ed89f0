#pragma once

#include <cstddef>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Somebody who wants to see what of a file was read so far, see Progress::let_look(). Called on the thread that reads.
class Onlooker {
public:
    virtual ~Onlooker() = default;
    /// Asked at every piece of a file: cheap.
    virtual bool wants_to_look() const = 0;
    /// The events of the device that has most so far are rows [first, first + count) of `events`. What they refer to is in
    /// `unfinished`, which has no devices yet. Both change when this returns: what is kept must be a copy.
    virtual void look(const Snapshot& unfinished, const EventColumns& events, std::size_t first, std::size_t count) = 0;
};

}  // namespace snapviewer
