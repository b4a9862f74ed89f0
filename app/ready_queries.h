#pragma once

#include <span>

namespace snapviewer {

/// A question everyone has, ready to run.
struct ReadyQuery {
    const char* name;
    const char* text;  ///< what it answers, a sentence
    const char* sql;
    const char* edit;  ///< the part of `sql` to fill in before it is run, or null
};

std::span<const ReadyQuery> ready_queries();

}  // namespace snapviewer
