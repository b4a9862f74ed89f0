#include "app/document_loader.h"

#include <utility>

#include "core/load/profilers/load_database.h"

namespace snapviewer {

DocumentLoader::~DocumentLoader() { cancel(); }

void DocumentLoader::start(const std::string& path, const std::string& with) {
    cancel();
    if (thread_.joinable()) thread_.join();
    job_ = std::make_unique<Job>();
    job_->path = path;
    job_->with = with;
    thread_ = std::jthread([job = job_.get()] {
        if (!job->with.empty() && !belong_together(job->path, job->with, job->progress)) job->with.clear();
        job->paths = {job->path};
        if (!job->with.empty()) job->paths.push_back(job->with);
        job->stamps = read_stamps(job->paths);
        job->document.emplace(open_document(job->path, OpenOptions{.with = job->with}, job->progress));
        job->done.store(true, std::memory_order_release);
    });
}

void DocumentLoader::cancel() {
    if (job_) job_->progress.request_stop();
}

std::optional<DocumentLoader::Outcome> DocumentLoader::take() {
    if (!job_ || !job_->done.load(std::memory_order_acquire)) return std::nullopt;
    thread_.join();
    const std::unique_ptr<Job> job = std::move(job_);
    return Outcome{job->path, job->with, std::move(job->paths), std::move(job->stamps), std::move(*job->document)};
}

}  // namespace snapviewer
