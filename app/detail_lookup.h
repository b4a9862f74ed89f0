#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "core/trace/detail_source.h"

namespace snapviewer {

/// Asks a DetailSource on a thread of its own, one question at a time. All members are for the main thread. The destructor
/// waits for the answer that is on its way, which takes milliseconds.
class DetailLookup {
public:
    struct Question {
        std::shared_ptr<DetailSource> source;
        std::size_t device_index = 0;
        AllocationId id;
        bool operator==(const Question&) const = default;
    };
    struct Answer {
        Question question;
        Result<std::vector<DetailSection>> sections;
    };

    /// A question that still waits for another to be answered is forgotten.
    void ask(Question question);
    bool busy() const { return job_.valid() || next_.has_value(); }
    /// The answer to the question asked last, once. To be called every frame.
    std::optional<Answer> take();

private:
    void begin(Question question);

    std::optional<Question> next_;
    std::future<Answer> job_;
};

}  // namespace snapviewer
