#include "core/base/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/system/processes.h"

namespace snapviewer {

void TotalsPreview::add(std::int64_t change_bytes) {
    // Unsigned arithmetic, because the sizes of a damaged file can overflow the total.
    total_bytes_ =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(total_bytes_) + static_cast<std::uint64_t>(change_bytes));
    highest_bytes_ = pending_events_ == 0 ? total_bytes_ : std::max(highest_bytes_, total_bytes_);
    if (++pending_events_ < events_per_sample_) return;
    pending_events_ = 0;
    publish(highest_bytes_);
}

void TotalsPreview::publish(std::int64_t sample) {
    const std::lock_guard lock(mutex_);
    samples_[count_++] = sample;
    if (count_ < k_max_samples) return;
    for (std::size_t i = 0; i < k_max_samples / 2; ++i) samples_[i] = std::max(samples_[2 * i], samples_[2 * i + 1]);
    count_ = k_max_samples / 2;
    events_per_sample_ *= 2;
}

std::vector<std::int64_t> TotalsPreview::samples() const {
    const std::lock_guard lock(mutex_);
    return {samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count_)};
}

const char* stage_text(Stage stage) {
    switch (stage) {
        case Stage::waiting: return "waiting";
        case Stage::reading: return "reading the file";
        case Stage::timeline: return "laying out the timeline";
        case Stage::mesh: return "building the mesh";
        case Stage::database: return "preparing the database";
        case Stage::done: return "done";
    }
    return "";
}

void Progress::yield_to_page() {
    const ContextScope outside({});
    yield_to_browser();
}

namespace {

/// Minimum time between two charges of a thread. Reading the processor time takes a system call, so a cheap, coarse clock
/// decides when to read it.
constexpr std::int64_t k_min_charge_interval_ns = 1'000'000;

struct ThreadWork {
    Context context;
    std::int64_t charged_at_ns = 0;  ///< time of the last charge, by the coarse clock
    std::uint64_t time_ns = 0;       ///< processor time of this thread at the last charge
};

/// Returns the state of the calling thread. A WebAssembly program that is linked without threads does not support
/// thread_local, so it uses a static variable.
ThreadWork& work_of_this_thread() {
    static constinit ThreadWork alone;
    static constinit thread_local ThreadWork of_thread;
    return has_threads() ? of_thread : alone;
}

/// Charges the processor time since the last charge to the budget of the context.
void charge_time(ThreadWork& work) {
    const std::uint64_t time_ns = thread_time_ns();
    if (work.context.budget != nullptr && time_ns > work.time_ns) work.context.budget->spend(time_ns - work.time_ns);
    work.time_ns = time_ns;
}

void enter(ThreadWork& work, const Context& context) {
    if (context.budget != work.context.budget) {
        charge_time(work);
        exchange_memory_account(context.budget == nullptr ? nullptr : &context.budget->account());
    }
    work.context = context;
}

bool is_late(ThreadWork& work) {
    if (work.context.budget == nullptr) return false;
    const std::int64_t now_ns = coarse_time_ns();
    if (now_ns - work.charged_at_ns >= k_min_charge_interval_ns) {
        work.charged_at_ns = now_ns;
        charge_time(work);
    }
    return work.context.budget->is_late();
}

}  // namespace

const Context& Context::current() { return work_of_this_thread().context; }
ContextScope::ContextScope(const Context& context) : previous_(Context::current()) { enter(work_of_this_thread(), context); }
ContextScope::~ContextScope() { enter(work_of_this_thread(), previous_); }
Budget& budget_of_thread() { return *Context::current().budget; }

void charge_written(std::uint64_t bytes, std::string_view advice) {
    if (Budget* const budget = Context::current().budget; budget != nullptr) throw_if_error(budget->write(bytes, advice));
}

bool must_stop() {
    ThreadWork& work = work_of_this_thread();
    return must_stop(work.context.progress) || is_late(work);
}

Error stop_error() {
    const Context& context = Context::current();
    if (must_stop(context.progress) || context.budget == nullptr) return stopped();
    return context.budget->late_error();
}

void check_stop() {
    if (must_stop()) throw Failure{stop_error()};
}

void report_stage(Stage stage) {
    if (Progress* const progress = Context::current().progress; progress != nullptr) progress->enter(stage);
}

void report_done(std::uint64_t done, std::uint64_t total) {
    if (Progress* const progress = Context::current().progress; progress != nullptr) progress->update(done, total);
}

Error memory_error(const std::bad_alloc& thrown) {
    const Context& context = Context::current();
    if (context.budget == nullptr || !context.budget->account().is_exceeded()) return error_of(thrown);
    return {ErrorCode::unsupported, fmt::format("needs more than {} of memory, far more than any real snapshot of its size",
                                                format_bytes(context.budget->account().limit_bytes()))};
}

Error error_being_handled() {
    try {
        throw;
    } catch (Failure& failure) {
        return must_stop() ? stop_error() : std::move(failure.error);
    } catch (const std::bad_alloc& thrown) {
        return must_stop() ? stop_error() : memory_error(thrown);
    } catch (const std::system_error& thrown) {
        return error_of(thrown);
    }
}

}  // namespace snapviewer
