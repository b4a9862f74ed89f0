#include "app/detail_lookup.h"

#include <chrono>
#include <utility>

namespace snapviewer {

void DetailLookup::begin(Question question) {
    job_ = std::async(std::launch::async, [question = std::move(question)] {
        return Answer{question, question.source->details(question.device_index, question.id)};
    });
}

void DetailLookup::ask(Question question) {
    if (job_.valid())
        next_ = std::move(question);
    else
        begin(std::move(question));
}

std::optional<DetailLookup::Answer> DetailLookup::take() {
    if (!job_.valid() || job_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    Answer answer = job_.get();
    if (!next_) return answer;
    begin(*std::exchange(next_, std::nullopt));
    return std::nullopt;
}

}  // namespace snapviewer
