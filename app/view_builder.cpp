#include "app/view_builder.h"

#include <utility>

namespace snapviewer {

ViewBuilder::~ViewBuilder() { cancel(); }

void ViewBuilder::start(std::shared_ptr<const Document> document, std::size_t device_index, ViewKind kind) {
    cancel();
    if (thread_.joinable()) thread_.join();
    job_ = std::make_unique<Job>();
    job_->document = std::move(document);
    job_->device_index = device_index;
    job_->kind = kind;
    thread_ = std::jthread([job = job_.get()] {
        job->view.emplace(build_view(*job->document, job->device_index, job->kind, job->progress));
        job->done.store(true, std::memory_order_release);
    });
}

void ViewBuilder::cancel() {
    if (job_) job_->progress.request_stop();
}

std::optional<ViewBuilder::Outcome> ViewBuilder::take() {
    if (!job_ || !job_->done.load(std::memory_order_acquire)) return std::nullopt;
    thread_.join();
    const std::unique_ptr<Job> job = std::move(job_);
    return Outcome{std::move(job->document), job->device_index, job->kind, std::move(*job->view)};
}

}  // namespace snapviewer
